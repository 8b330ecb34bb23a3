import Testing
import Wire

struct ICYCharsetTests {
  @Test(arguments: Charset.allCases)
  func `valid UTF-8 stays, whatever else is asked for`(fallback: Charset) {
    let text = "Ärzte – 日本語 😀"
    #expect(Charset.decode(Array(text.utf8), fallback: fallback) == text)
  }

  @Test func `windows-1252 has letters and punctuation where Latin-1 has controls`() {
    #expect(Charset.decode([0x80, 0x92, 0x96, 0x99, 0x9F, 0xE4]) == "€’–™Ÿä")
    #expect(Charset.decode([0x80, 0x92, 0x96, 0xE4], fallback: .latin1) == "ä")
    #expect(Charset.decode([0xE4], fallback: .utf8) == "\u{FFFD}")
  }

  @Test func `bytes that windows-1252 does not define are dropped`() {
    #expect(Charset.decode([0x61, 0x81, 0x8D, 0x8F, 0x90, 0x9D, 0xFC]) == "aü")
  }

  @Test func `every other byte of windows-1252 is one character`() {
    let undefined: Set<UInt8> = [0x81, 0x8D, 0x8F, 0x90, 0x9D]
    for byte in UInt8(0x80)...0xFF where !undefined.contains(byte) {
      #expect(Charset.decode([byte]).unicodeScalars.count == 1)
    }
  }

  @Test func `controls are dropped, and white space among them is a space`() {
    #expect(Charset.decode(Array("a\tb\nc\u{0}\u{1B}d\u{7F}\u{9B}e".utf8)) == "a b cde")
  }

  @Test func `a byte order mark in front is dropped`() {
    #expect(Charset.decode(Array("\u{FEFF}abc".utf8)) == "abc")
  }

  @Test func `UTF-8 cut inside its last character loses only that`() {
    let bytes = Array("Señor – 日".utf8)
    #expect(Charset.decode(Array(bytes.dropLast())) == "Señor – ")
    #expect(Charset.decode(Array(bytes.dropLast(2))) == "Señor – ")
  }

  @Test func `a lone last byte above ASCII is no cut character`() {
    #expect(Charset.decode(Array("Caf".utf8) + [0xE9]) == "Café")
  }

  @Test func `charsets are known by the names people write`() {
    #expect(Charset(name: "UTF-8") == .utf8)
    #expect(Charset(name: "ISO-8859-1") == .latin1)
    #expect(Charset(name: "Windows-1252") == .windows1252)
    #expect(Charset(name: "klingon") == nil)
  }
}
