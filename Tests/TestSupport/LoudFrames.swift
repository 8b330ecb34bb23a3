import Wire

/// MP3 frames that say how loud they are. Nothing in them can be decoded to that.
public enum LoudFrames {
  public static let format = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2)
  public static let samples = 1152

  /// A frame of 128 kbit/s with this `global_gain`, of silence where it is 0; `number` makes it differ from others.
  public static func frame(gain: Int, number: Int = 0) -> [UInt8] {
    var frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 413)
    if gain > 0 {
      for part in 0..<4 {
        // Behind header, 20 bits, and granules of 59 bits: a length, then big values, then the gain.
        let begin = 32 + 20 + 59 * part
        put(1000, width: 12, at: begin, in: &frame)
        put(gain, width: 8, at: begin + 21, in: &frame)
      }
    }
    for place in 0..<8 { frame[40 + place] = UInt8(truncatingIfNeeded: number >> (8 * place)) }
    return frame
  }

  /// The loudness that a frame with this gain is told to have.
  public static func loudness(gain: Int) -> UInt8 {
    gain == 0 ? 0 : UInt8(clamping: max(1, 38 * gain / 15 - 248))
  }

  private static func put(_ value: Int, width: Int, at begin: Int, in frame: inout [UInt8]) {
    for bit in 0..<width where value >> (width - 1 - bit) & 1 == 1 {
      frame[(begin + bit) / 8] |= 0x80 >> UInt8((begin + bit) % 8)
    }
  }
}
