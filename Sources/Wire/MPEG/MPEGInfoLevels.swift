/// Loudness and peak in an info frame by LAME, of which players know the gain (ReplayGain).
///
/// Source: the LAME tag specification (gabriel.mp3-tech.org): behind the table's encoder of 9 bytes and 2 others stand 4
/// bytes of peak, 2 of "radio" gain, 2 of another, and 13 and 2 further on the checksum of all that is before it.
public struct MPEGInfoLevels: Hashable, Sendable {
  /// Decibels to the loudness of ReplayGain 2, -18 LUFS; -51.1 to 51.1, in tenths.
  public var gain: Double
  /// Amplitude; 1 is full scale, 0 stands for unknown.
  public var peak: Double

  private static let (peakOffset, gainOffset, checksumOffset) = (11, 15, 34)

  public init(gain: Double, peak: Double) { (self.gain, self.peak) = (gain, peak) }

  /// Reads one whole frame; nil where it is no info frame by LAME, or has no gain.
  public init?(in frame: Span<UInt8>) {
    guard let place = Self.place(in: frame) else { return nil }
    let first = place + Self.gainOffset
    let word = UInt16(frame[first]) << 8 | UInt16(frame[first + 1])
    // Three bits say that it is the gain of one track.
    guard word >> 13 == 1 else { return nil }
    let tenths = Double(word & 0x1FF)
    gain = (word & 0x200 == 0 ? tenths : -tenths) / 10
    peak = Double(frame.bigEndianWord(at: place + Self.peakOffset)) / Double(1 << 23)
  }

  /// Writes them into one whole frame, with its checksum; false where that is no info frame by LAME.
  public func write(into frame: inout [UInt8]) -> Bool {
    guard let place = Self.place(in: frame.span) else { return false }
    let peak = UInt32(bounded: (self.peak * Double(1 << 23)).rounded(), in: 0...UInt32.max)
    let tenths = UInt16(bounded: (abs(gain) * 10).rounded(), in: 0...511)
    // Of one track, and measured by a program.
    let word = 1 << 13 | 3 << 10 | (gain < 0 ? 0x200 : 0) | tenths
    for byte in 0..<4 {
      let shift = UInt32(24 - 8 * byte)
      frame[place + Self.peakOffset + byte] = UInt8(truncatingIfNeeded: peak >> shift)
    }
    frame[place + Self.gainOffset] = UInt8(truncatingIfNeeded: word >> 8)
    frame[place + Self.gainOffset + 1] = UInt8(truncatingIfNeeded: word)
    let checksum = Self.checksum(frame.span.extracting(0..<place + Self.checksumOffset))
    frame[place + Self.checksumOffset] = UInt8(truncatingIfNeeded: checksum >> 8)
    frame[place + Self.checksumOffset + 1] = UInt8(truncatingIfNeeded: checksum)
    return true
  }

  /// Where LAME's own part of the table begins.
  private static func place(in frame: Span<UInt8>) -> Int? {
    guard let header = MPEGHeader(in: frame),
      let table = MPEGInfoFrame.table(in: frame, 0..<frame.count, header: header),
      table + 8 <= frame.count, !frame.agrees(with: "VBRI", at: table)
    else { return nil }
    let flags = frame.bigEndianWord(at: table + 4)
    var place = table + 8
    for (bit, bytes) in [(1, 4), (2, 4), (4, 100), (8, 4)] where flags & UInt32(bit) != 0 {
      place += bytes
    }
    guard place + checksumOffset + 2 <= frame.count, frame.agrees(with: "LAME", at: place) else {
      return nil
    }
    return place
  }

  /// CRC-16 of polynomial 0x8005, the lowest bit first, from 0 on.
  static func checksum(_ bytes: Span<UInt8>) -> UInt16 {
    var checksum: UInt16 = 0
    for index in bytes.indices {
      checksum ^= UInt16(bytes[index])
      for _ in 0..<8 { checksum = checksum & 1 == 0 ? checksum >> 1 : checksum >> 1 ^ 0xA001 }
    }
    return checksum
  }
}
