/// The parts of an ID3v2.4 tag (id3.org, id3v2.4.0-structure §3.1 and §4).
enum ID3Frame {
  /// Returns one frame without flags. Its id has four characters.
  static func frame(_ id: String, _ content: [UInt8]) -> [UInt8] {
    Array(id.utf8) + synchsafe(content.count) + [0, 0] + content
  }

  /// Returns the tag around `frames`.
  static func tag(_ frames: [UInt8]) -> [UInt8] {
    Array("ID3".utf8) + [4, 0, 0] + synchsafe(frames.count) + frames
  }

  /// Before a text: it is in UTF-8 (§4 of the frames).
  static let utf8: UInt8 = 3

  /// Writes seven bits per byte, so that no size looks like a frame header.
  private static func synchsafe(_ number: Int) -> [UInt8] {
    [21, 14, 7, 0].map { UInt8(number >> $0 & 0x7F) }
  }
}
