import Glibc

/// What the real decoders and probes say of bytes.
extension Fixtures {
  /// One packet as `ffprobe` reports it.
  public struct ProbedPacket: Hashable, Sendable {
    /// The offset in the bytes.
    public var position: Int
    public var bytes: Int
    public var seconds: Double
  }

  /// The packets `ffprobe` finds; `format` is the demuxer (`mp3`, `aac`).
  public static func probe(_ bytes: [UInt8], format: String) throws -> [ProbedPacket] {
    let scratch = TemporaryDirectory()
    let path = scratch.write("in", bytes)
    let result = try Tool.must(
      [
        "ffprobe", "-v", "error", "-f", format, "-show_packets",
        "-show_entries", "packet=duration_time,size,pos", "-of", "csv", path,
      ], in: scratch)
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
    return lines.compactMap { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      guard fields.count >= 4, fields[0] == "packet", let seconds = Double(fields[1]),
        let bytes = Int(fields[2]), let position = Int(fields[3])
      else { return nil }
      return ProbedPacket(position: position, bytes: bytes, seconds: seconds)
    }
  }

  /// What `mpg123` makes of a stream.
  public struct Decoded: Sendable {
    /// Interleaved 16-bit samples, nothing cut at the ends.
    public var samples: [Int16]
    /// Everything it complained of.
    public var log: String
  }

  /// Decodes by `mpg123` without gapless trimming: frame n's samples are the n-th.
  public static func mpg123(_ bytes: [UInt8]) throws -> Decoded {
    let scratch = TemporaryDirectory()
    let path = scratch.write("in.mp3", bytes)
    let result = try Tool.must(["mpg123", "-q", "--no-gapless", "-s", path], in: scratch)
    return Decoded(samples: samples(in: result.output), log: result.log)
  }

  /// Decodes by `ffmpeg` to interleaved 16-bit samples; `format` is the demuxer.
  public static func ffmpegDecode(_ bytes: [UInt8], format: String) throws -> Decoded {
    let scratch = TemporaryDirectory()
    let path = scratch.write("in", bytes)
    let result = try Tool.must(
      [
        "ffmpeg", "-v", "warning", "-f", format, "-i", path, "-f", "s16le", scratch.file("pcm"),
      ], in: scratch)
    let output = try readFile(scratch.file("pcm"))
    return Decoded(samples: samples(in: output), log: result.log)
  }

  /// Bytes as 16-bit samples of this machine (little-endian).
  private static func samples(in bytes: [UInt8]) -> [Int16] {
    bytes.withUnsafeBytes { bytes in
      // Unaligned loads: nothing is assumed of where the array lies.
      (0..<bytes.count / 2).map { bytes.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self) }
    }
  }
}
