import Testing
import Wire

@Suite struct ValuesNumberTextTests {
  @Test(arguments: [
    (0, "0"), (999, "999"), (1000, "1,000"), (-1000, "-1,000"), (12_008, "12,008"),
    (Int.max, "9,223,372,036,854,775,807"), (Int.min, "-9,223,372,036,854,775,808"),
  ])
  func `thousands stand apart`(number: Int, text: String) {
    #expect(NumberText.grouped(number) == text)
  }
}
