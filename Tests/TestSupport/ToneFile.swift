import Glibc

/// A file of tones by `ffmpeg`: left 1,000 Hz at -12 dBFS, right 600 Hz at -18 dBFS; in mono the left one alone.
public struct ToneFile: Hashable, Sendable {
  public var options: [String]
  /// ffmpeg's muxer.
  public var muxer: String
  public var rate: Int
  public var channels: Int

  public init(_ options: [String], _ muxer: String, _ rate: Int, _ channels: Int) {
    (self.options, self.muxer, self.rate, self.channels) = (options, muxer, rate, channels)
  }

  public static let tones: [(hertz: Double, amplitude: Double)] = [(1000, 0.25), (600, 0.125)]

  public func bytes(seconds: Double) throws -> [UInt8] {
    let scratch = TemporaryDirectory()
    let out = scratch.file("out")
    let sines = Self.tones.map { "\($0.amplitude)*sin(2*PI*\($0.hertz)*t)" }
    // Speakers in ffmpeg's order begin with the left and the right one in front.
    let all = (0..<channels).map { $0 < 2 ? sines[$0] : "0" }.joined(separator: "|")
    let layout = [1: "mono", 2: "stereo", 6: "5.1"][channels] ?? "\(channels)c"
    let source = "aevalsrc=\(all):s=\(rate):d=\(seconds):c=\(layout)"
    try Tool.must(
      ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", source] + options + ["-f", muxer, out],
      in: scratch)
    return try readFile(out)
  }

  /// The file cut into the packets of a log.
  public func packets(seconds: Double) throws -> LogPackets {
    let file = try bytes(seconds: seconds)
    guard let cut = muxer == "ogg" ? LogPackets(ogg: file) : LogPackets(frames: file) else {
      throw Tool.Failure(description: "\(options): no packets in \(file.count) bytes")
    }
    return cut
  }
}

extension Signals {
  /// How strong a frequency is in samples, as the amplitude of its sine: 0 ... 1.
  public static func amplitude(
    _ hertz: Double, in samples: some Collection<Int16>, rate: Int
  ) -> Double {
    guard !samples.isEmpty else { return 0 }
    let step = 2 * Double.pi * hertz / Double(rate)
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      real += Double(sample) * cos(step * Double(index))
      imaginary += Double(sample) * sin(step * Double(index))
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(samples.count) / 32768
  }
}
