import Testing

@testable import Server

struct HistogramTests {
  @Test func `a value counts in the first bucket it is not above`() {
    var histogram = Histogram(bounds: [1, 2, 5])
    for value in [0, 1, 1.0001, 2, 4, 5, 6, 1e9, -0.1, .nan, .infinity] { histogram.add(value) }
    #expect(histogram.counts == [3, 2, 2, 2])
    #expect(histogram.count == 9 && abs(histogram.sum - (1e9 + 19.0001)) < 1e-3)
  }

  @Test func `two histograms add up`() {
    var one = Histogram(bounds: [1])
    var two = one
    one.add(0.5)
    two.add(3)
    one.add(two)
    #expect(one.counts == [1, 1] && one.sum == 3.5)
  }
}
