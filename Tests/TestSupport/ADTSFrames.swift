/// Frames of AAC as they follow each other (ISO/IEC 13818-7, adts_frame).
public enum ADTSFrames {
  /// The whole ones; `problem`: where one does not begin at the end of the one before.
  public static func split(_ bytes: [UInt8]) -> (frames: [[UInt8]], problem: String?) {
    var frames: [[UInt8]] = []
    var place = 0
    while bytes.count - place >= 7 {
      guard bytes[place] == 0xFF, bytes[place + 1] & 0xF6 == 0xF0 else {
        return (frames, "no frame at \(place)")
      }
      // 13 bits from the 31st.
      let head = bytes[place..<place + 7].map(Int.init)
      let length = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
      guard length >= 7 else { return (frames, "a frame of \(length) bytes at \(place)") }
      guard place + length <= bytes.count else { break }
      frames.append(Array(bytes[place..<place + length]))
      place += length
    }
    return (frames, nil)
  }
}
