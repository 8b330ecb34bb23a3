import Testing
import Wire

@Suite struct RelayFieldsTests {
  private static let id = "00112233445566778899aabbccddeeff"

  @Test func `a log's id is 32 digits and reads as it was written`() throws {
    let id = LogID.random()
    #expect(LogID(id.description) == id && LogID(bytes: id.bytes) == id)
    #expect(LogID(Self.id.uppercased())?.description == Self.id)
    for text in [
      "", "0", Self.id + "0", String(Self.id.dropLast()) + "g", " " + Self.id.dropLast(),
    ] {
      #expect(LogID(text) == nil, "\(text)")
    }
    #expect(LogID(bytes: [UInt8](repeating: 0, count: 16)) == nil)
  }

  @Test func `a place needs both fields and a position below all bounds`() throws {
    let place = try #require(RelayPlace(log: Self.id, position: "417"))
    #expect(place.position == 417 && place.advanced(by: 3)?.position == 420)
    let last = RelayPlace.positionsEnd - 1
    #expect(RelayPlace(log: Self.id, position: "\(last)")?.advanced(by: 1) == nil)
    #expect(place.advanced(by: .max) == nil)
    for position in ["", "-1", "+1", " 1", "1.0", "0x1", "\(last + 1)", "99999999999999999999"] {
      #expect(RelayPlace(log: Self.id, position: position) == nil, "\(position)")
    }
    #expect(
      RelayPlace(log: nil, position: "1") == nil && RelayPlace(log: Self.id, position: nil) == nil)
  }

  @Test func `a resume field is read as it was written, and a malformed one is refused`() throws {
    let resume = RelayResume(log: try #require(LogID(Self.id)), known: 100..<417)
    #expect(resume.text == "\(Self.id) 100-417" && RelayResume(resume.text) == resume)
    #expect(RelayResume("\(Self.id) 5-5")?.known.isEmpty == true)
    let wrong = [
      "", Self.id, "\(Self.id) ", "\(Self.id) 5", "\(Self.id) 6-5", "\(Self.id) 5-6-7",
      "\(Self.id)  5-6", "\(Self.id) a-6", "x 5-6", "\(Self.id) 5-9999999999999999999",
    ]
    for text in wrong { #expect(RelayResume(text) == nil, "\(text)") }
  }

  @Test func `the logs that audio comes through are read as they were written, and not too many`() {
    let logs = (0..<20).map { _ in LogID.random() }
    #expect(RelayVia.read(RelayVia.text(logs)) == Array(logs.prefix(RelayVia.countMax)))
    #expect(RelayVia.text(logs).utf8.count <= 512)
    #expect(RelayVia.read("\(logs[0]),x,, \(logs[1]) ") == [logs[0]])
    #expect(RelayVia.read("").isEmpty)
  }

  @Test func `gaps that are wrong or out of order are left out, and too many are not read`() {
    #expect(
      RelayGap.read("10=1.5, 20=0.25,x=1, 15=1, 30=-1, 31=nan, 32=1e3, 33=, 40=2") == [
        RelayGap(position: 10, seconds: 1.5), RelayGap(position: 20, seconds: 0.25),
      ])
    let many = (1...20).map { "\($0)=1" }.joined(separator: ", ")
    #expect(RelayGap.read(many).map(\.position) == Array(1...8))
    #expect(RelayGap.read("").isEmpty)
  }
}
