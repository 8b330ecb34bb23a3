/// Makes valid, silent MPEG-1 layer III frames, each with its number and the time at which it was sent.
///
/// The frames have 44.1 kHz, stereo and no CRC. The side information is all zero, so a decoder finds no Huffman data
/// and plays silence. The main-data area is then free for the stamp (ISO/IEC 11172-3, 2.4.1.7: ancillary):
///
///     0   header         4 bytes
///     4   side info     32 bytes, zero
///     36  magic          4 bytes "LWB1"
///     40  number         8 bytes, little-endian, from 0
///     48  stamp          8 bytes, little-endian, CLOCK_MONOTONIC nanoseconds
///     56  check          4 bytes, little-endian, of number and stamp
///     60  filler         number & 0x7f, so that no byte looks like a header
struct StampedFrames {
  static let samplesPerFrame = 1152
  static let sampleRate = 44_100
  static let channels = 2
  /// The bitrates in kbit/s by header index (layer III, MPEG-1) whose frames hold a stamp.
  static let bitrates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]

  let bitrate: Int
  private let bitrateIndex: UInt8
  /// The number of the next frame.
  private(set) var number: UInt64 = 0

  /// - Parameter bitrate: The bitrate in kbit/s, one of `bitrates`.
  init(bitrate: Int) {
    let index = Self.bitrates.firstIndex(of: bitrate)
    precondition(index != nil, "no such bitrate in layer III")
    self.bitrate = bitrate
    bitrateIndex = UInt8(index! + 1)
  }

  /// The exact bytes of audio per second.
  var bytesPerSecond: Double { Double(bitrate) * 125 }

  /// Returns the bytes of the first `count` frames; padding keeps the sum at the exact rate.
  func bytes(ofFrames count: UInt64) -> UInt64 {
    count * UInt64(144_000 * bitrate) / UInt64(Self.sampleRate)
  }

  /// Returns the number of frames in `seconds`, rounded down.
  static func frames(in seconds: Double) -> UInt64 {
    UInt64(seconds * Double(sampleRate) / Double(samplesPerFrame))
  }

  /// Appends the next frame.
  mutating func append(to bytes: inout [UInt8], stamp: Int64) {
    let size = Int(self.bytes(ofFrames: number + 1) - self.bytes(ofFrames: number))
    let isPadded = size > 144_000 * bitrate / Self.sampleRate
    bytes += [0xff, 0xfb, bitrateIndex << 4 | (isPadded ? 2 : 0), 0x04]
    bytes += repeatElement(0, count: 32)
    bytes += StampedFrame.magic
    append(number, to: &bytes)
    append(UInt64(bitPattern: stamp), to: &bytes)
    append(StampedFrame.check(number: number, stamp: stamp), to: &bytes)
    bytes += repeatElement(UInt8(number & 0x7f), count: size - StampedFrame.headBytes)
    number += 1
  }

  private func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
  }
}

/// The stamp in a frame's first 60 bytes.
struct StampedFrame {
  static let headBytes = 60
  static let magic = Array("LWB1".utf8)
  private static let magicWord = UInt32(0x3142_574c)

  var number: UInt64
  var stamp: Int64
  /// The length of the whole frame in bytes.
  var bytes: Int

  /// Reads a frame's head; nil if no whole, unaltered head stands there.
  ///
  /// - Parameter head: At least `headBytes` readable bytes.
  @inline(__always)
  init?(_ head: UnsafeRawPointer) {
    let header = UInt32(littleEndian: head.loadUnaligned(as: UInt32.self))
    let magic = head.loadUnaligned(fromByteOffset: 36, as: UInt32.self)
    guard header & 0xffff == 0xfbff, UInt32(littleEndian: magic) == Self.magicWord else {
      return nil
    }
    let index = Int(header >> 20 & 15)
    guard (1...StampedFrames.bitrates.count).contains(index) else { return nil }
    let padding = Int(header >> 17 & 1)
    bytes = 144_000 * StampedFrames.bitrates[index - 1] / StampedFrames.sampleRate + padding
    number = UInt64(littleEndian: head.loadUnaligned(fromByteOffset: 40, as: UInt64.self))
    stamp = Int64(littleEndian: head.loadUnaligned(fromByteOffset: 48, as: Int64.self))
    let check = UInt32(littleEndian: head.loadUnaligned(fromByteOffset: 56, as: UInt32.self))
    guard check == Self.check(number: number, stamp: stamp) else { return nil }
  }

  static func check(number: UInt64, stamp: Int64) -> UInt32 {
    var mixed = (number ^ UInt64(bitPattern: stamp) << 17) &* 0x9e37_79b9_7f4a_7c15
    mixed ^= mixed >> 29
    return UInt32(truncatingIfNeeded: mixed >> 16)
  }
}
