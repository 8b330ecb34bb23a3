import Testing

@testable import Wire

@Suite struct TitleItemTests {
  private static let key = "000102030405060708090a0b0c0d0eff"

  @Test(arguments: [
    ("118 track 0 \(key)", TitleItem.Kind.track, 118, 0, true),
    ("1 insert 0", .insert, 1, 0, false), ("9007199254740992 live 17", .live, 1 << 53, 17, false),
    ("7 track 9007199254740992 \(key)", .track, 7, 1 << 53, true),
  ])
  func `an item is read as it is written`(
    text: String, kind: TitleItem.Kind, number: UInt64, sample: UInt64, hasTrack: Bool
  ) {
    let track = hasTrack ? TrackKey(Self.key) : nil
    let item = TitleItem(number: number, kind: kind, sample: sample, track: track)
    #expect(item.text == text)
    #expect(TitleItem(text: text) == item)
  }

  @Test(arguments: [
    "", "1", "1 track", "0 track 0", "1 song 0", "1 track -1", "1 track 0 ", "1 track 0 12",
    "1  track 0", "9007199254740993 track 0", "1 track 9007199254740993",
    "99999999999999999999 track 0", "1 track 0 \(key) 1", "1 track 0 \(key)0",
    "1 track 0 00010203040506070809xa0b0c0d0e0f",
  ])
  func `a text that no item writes is none`(text: String) {
    #expect(TitleItem(text: text) == nil)
  }

  @Test func `a key has the same 128 bits as bytes, as digits and as numbers`() throws {
    let bytes = (0..<15).map { UInt8($0) } + [0xff]
    let key = try #require(TrackKey(bytes: bytes))
    #expect(key.description == Self.key)
    #expect(TrackKey(Self.key.uppercased()) == key)
    #expect(key.bytes == bytes)
    #expect(TrackKey(bytes: bytes.dropLast()) == nil)
    #expect(TrackKey(high: 1, low: 0) > TrackKey(high: 0, low: .max))
  }
}
