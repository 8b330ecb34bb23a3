import Testing
import Wire

@Suite struct PictureTypeTests {
  @Test(
    arguments: [
      ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0], "image/png"),
      ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"), (Array("GIF89a..".utf8), "image/gif"),
      (Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8), "image/webp"),
      (Array("\0\0\0 ftypavif".utf8), "image/avif"), (Array("\0\0\0 ftypisom".utf8), nil),
      (Array("<svg xmlns='http://www.w3.org/2000/svg'>".utf8), nil), (Array("<html>".utf8), nil),
      ([0x89, 0x50, 0x4E], nil), ([], nil), (Array("RIFF....WAVE".utf8), nil),
    ] as [([UInt8], String?)])
  func `a picture is told by its first bytes`(bytes: [UInt8], type: String?) {
    #expect(PictureType.of(bytes) == type)
    // However it is cut, it is nothing else.
    for count in bytes.indices {
      #expect([nil, type].contains(PictureType.of(bytes.prefix(count))))
    }
  }
}
