import Testing

@testable import Ingest

@Suite struct CharsetReaderTests {
  @Test(
    arguments: [
      ("windows-1251", [0xCA, 0xE8, 0xED, 0xEE], "Кино"), ("gbk", [0xD4, 0xC2, 0x41], "月A"),
      ("latin1", [0xE9, 0x80], "é\u{80}"), ("windows-1252", [0xE9, 0x80], "é€"),
      ("koi8-r", [0xEB], "К"),
    ] as [(String, [UInt8], String)])
  func `a charset reads texts by its name`(name: String, bytes: [UInt8], text: String) throws {
    let read = try CharsetName(name).reader
    // Each text begins anew, whatever the one before was cut in.
    for _ in 0..<2 { #expect(read(bytes) == text) }
    _ = read([0x81])
    #expect(read(bytes) == text)
  }
}
