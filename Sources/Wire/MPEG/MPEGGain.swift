/// Changes how loud a layer III frame is, without decoding it.
///
/// Every granule says by how many steps of 1.505 dB its values are to be raised (`global_gain`, ISO/IEC 11172-3
/// §2.4.2.7). Adding to all of them changes the level of the sound and nothing else of it.
public enum MPEGGain {
  /// Decibels of one step: the amplitude's fourth root of 2.
  public static let stepDecibels = 1.505_149_978_319_906

  /// Adds `steps` to the gain of each granule that has main data, and writes the frame's CRC anew.
  ///
  /// A gain stays in 0...255. Frames of other layers, and frames without sound, stay as they are.
  public static func change(_ frame: inout MutableSpan<UInt8>, by steps: Int) {
    guard steps != 0, let header = MPEGHeader(in: frame.span),
      let layout = MPEGSideInfo.Layout(header, in: frame.span)
    else { return }
    let steps = min(255, max(-255, steps))
    for index in 0..<layout.granules {
      let first = layout.firstByte * 8 + layout.leadBits + index * layout.granuleBits
      var bits = BitReader(at: 0)
      bits.skip(first)
      guard let length = bits.read(12, of: frame.span), length > 0 else { continue }
      bits.skip(9)
      guard let gain = bits.read(8, of: frame.span) else { return }
      write(
        min(255, max(0, gain + steps)), at: first + MPEGSideInfo.Layout.gainOffset, of: &frame)
    }
    MPEGChecksum.renew(&frame)
  }

  /// Returns the steps from a loudness to another.
  ///
  /// - Parameters:
  ///   - loudness: LUFS as it is.
  ///   - target: LUFS as it should be.
  ///   - truePeak: dB of full scale, of what is to be changed. The result never brings it above −1 dB; where it is
  ///     unknown, nothing is made louder.
  public static func steps(from loudness: Double, to target: Double, truePeak: Double?) -> Int {
    let wanted = Int(bounded: ((target - loudness) / stepDecibels).rounded(), in: -127...127)
    let room = truePeak.map { Int(bounded: ((peakMax - $0) / stepDecibels).rounded(.down)) } ?? 0
    return min(wanted, max(0, room))
  }

  /// dB of full scale.
  private static let peakMax = -1.0

  /// Writes 8 bits at a place in bits, which has whole bytes around it.
  private static func write(_ value: Int, at bit: Int, of frame: inout MutableSpan<UInt8>) {
    let (byte, shift) = (bit / 8, bit % 8)
    let mask = UInt16(0xFF00) >> UInt16(shift)
    let bits = (UInt16(value) << 8) >> UInt16(shift)
    frame[byte] = frame[byte] & ~UInt8(mask >> 8) | UInt8(bits >> 8)
    guard shift > 0, byte + 1 < frame.count else { return }
    frame[byte + 1] = frame[byte + 1] & ~UInt8(mask & 0xFF) | UInt8(bits & 0xFF)
  }
}
