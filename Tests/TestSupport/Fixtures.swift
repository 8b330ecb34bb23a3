import Glibc
import Synchronization

/// Real audio files, made by the real encoders when first asked for and kept for the process.
public enum Fixtures {
  private static let made = Mutex<[String: Kept]>([:])
  private static let waves = Mutex<[String: [UInt8]]>([:])

  /// A file by `lame` with these options (`"-b", "128"`; `-q 9` for speed unless options say).
  public static func mp3(
    _ options: [String], sampleRate: Int = 44_100, channels: Int = 2, seconds: Double = 2,
    seed: UInt64 = 1
  ) throws -> [UInt8] {
    try once("lame \(options) \(sampleRate) \(channels) \(seconds) \(seed)") { scratch in
      let wave = scratch.write(
        "in.wav", wave(sampleRate: sampleRate, channels: channels, seconds: seconds, seed: seed))
      let out = scratch.file("out.mp3")
      try Tool.must(["lame", "--quiet", "-q", "9"] + options + [wave, out], in: scratch)
      return try readFile(out)
    }
  }

  /// A file by `ffmpeg`: `format` is its muxer (`mp2`, `adts`, ...), options say codec and bitrate.
  public static func ffmpeg(
    _ options: [String], format: String, sampleRate: Int = 44_100, channels: Int = 2,
    seconds: Double = 2, seed: UInt64 = 1
  ) throws -> [UInt8] {
    try once("ffmpeg \(options) \(format) \(sampleRate) \(channels) \(seconds) \(seed)") {
      scratch in
      let wave = scratch.write(
        "in.wav", wave(sampleRate: sampleRate, channels: channels, seconds: seconds, seed: seed))
      let out = scratch.file("out")
      try Tool.must(
        ["ffmpeg", "-v", "error", "-i", wave] + options + ["-f", format, out], in: scratch)
      return try readFile(out)
    }
  }

  /// A file in Ogg by `ffmpeg`, with pages of 200 ms unless the options say.
  public static func ogg(
    _ codec: OggCodec, sampleRate: Int = 48_000, channels: Int = 2, seconds: Double = 4,
    comments: [String] = [], pageMicroseconds: Int = 200_000, seed: UInt64 = 1
  ) throws -> [UInt8] {
    let comments = comments.flatMap { ["-metadata", $0] }
    // Bit-exact: the serial number and the vendor are then the same every time.
    let pages = ["-page_duration", String(pageMicroseconds), "-serial_offset", String(seed)]
    return try ffmpeg(
      ["-c:a"] + codec.options + comments + pages, format: "ogg", sampleRate: sampleRate,
      channels: channels, seconds: seconds, seed: seed)
  }

  public enum OggCodec: String, CaseIterable, Sendable {
    case opus, vorbis, flac, speex

    var options: [String] {
      switch self {
      case .opus: ["libopus", "-b:a", "96k"]
      case .vorbis: ["libvorbis", "-q:a", "3"]
      case .flac: ["flac"]
      case .speex: ["libspeex"]
      }
    }
  }

  private static func once(_ key: String, make: (TemporaryDirectory) throws -> [UInt8]) throws
    -> [UInt8]
  {
    let kept = made.withLock { made in
      let kept = made[key] ?? Kept()
      made[key] = kept
      return kept
    }
    return try kept.bytes.withLock { bytes in
      if let bytes { return bytes }
      let file = try make(TemporaryDirectory())
      bytes = file
      return file
    }
  }

  /// A file once it is made. While it is, only those who want the same one wait.
  private final class Kept: Sendable {
    let bytes = Mutex<[UInt8]?>(nil)
  }

  /// Interleaved 16-bit samples: notes with overtones that die away, a drone, and noise. Never
  /// silent, never twice the same.
  public static func music(
    sampleRate: Int, channels: Int, seconds: Double, seed: UInt64 = 1
  ) -> [Int16] {
    var random = SplitMix(seed: seed)
    var samples: [Int16] = []
    let count = Int(Double(sampleRate) * seconds)
    samples.reserveCapacity(count * channels)
    let noteLength = sampleRate / 5
    var pitch = 0.0
    var noise = 0.0
    for i in 0..<count {
      let age = Double(i % noteLength) / Double(noteLength)
      if i % noteLength == 0 {
        pitch = 110 * exp2(Double(random.next() % 36) / 12) * 2 * .pi / Double(sampleRate)
      }
      let phase = Double(i) * pitch
      let note = (sin(phase) + 0.5 * sin(2.01 * phase)) * (1 - age)
      for channel in 0..<channels {
        let white = Double(Int16(truncatingIfNeeded: random.next())) / 32768
        noise += 0.3 * (white - noise)
        let pan = channel == 0 ? 0.6 : 0.4
        samples.append(Int16((note * pan * 0.5 + noise * 0.3) * 20_000))
      }
    }
    return samples
  }

  /// A RIFF WAVE file of `music`, kept for the process.
  public static func wave(
    sampleRate: Int, channels: Int, seconds: Double, seed: UInt64 = 1
  ) -> [UInt8] {
    waves.withLock { waves in
      let key = "\(sampleRate) \(channels) \(seconds) \(seed)"
      let file =
        waves[key]
        ?? composeWave(sampleRate: sampleRate, channels: channels, seconds: seconds, seed: seed)
      waves[key] = file
      return file
    }
  }

  private static func composeWave(
    sampleRate: Int, channels: Int, seconds: Double, seed: UInt64
  ) -> [UInt8] {
    let samples = music(sampleRate: sampleRate, channels: channels, seconds: seconds, seed: seed)
    func word(_ value: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    let dataBytes = samples.count * 2
    var file = Array("RIFF".utf8) + word(36 + dataBytes, 4) + Array("WAVEfmt ".utf8)
    file += word(16, 4) + word(1, 2) + word(channels, 2) + word(sampleRate, 4)
    file += word(sampleRate * channels * 2, 4) + word(channels * 2, 2) + word(16, 2)
    file += Array("data".utf8) + word(dataBytes, 4)
    samples.withUnsafeBytes { file.append(contentsOf: $0) }  // little-endian machines only
    return file
  }
}

/// A small seeded generator (Vigna's SplitMix64): the same numbers on every machine.
public struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
