import Glibc
import Longwave
import Reactor
import TestSupport

/// A station whose tone climbs for a minute and begins again: its pitch tells which place of the minute is heard.
///
/// All frames are 384 bytes and 24 ms, borrow nothing from each other, and differ.
enum PitchStation {
  static let frameSeconds = 0.024
  static let frameBytes = 384
  /// Seconds of one round.
  static let round = 60.0
  /// The pitch at the start of a round, and how much it climbs a second.
  static let (lowest, climb) = (500.0, 50.0)
  /// Seconds of a title; a title begins where the seconds of the minute are a multiple of it.
  static let titleSeconds = 10.0

  private static let sampleRate = 48_000
  private static let frameCount = 2500
  /// Samples by which an encoder and a decoder are late together: LAME's 576 and the decoder's 529.
  private static let codecDelay = 1105

  /// The frames of one round.
  static let frames: [[UInt8]] = {
    do { return try encode() } catch { preconditionFailure("the tone is not made: \(error)") }
  }()

  private static let numbers = Dictionary(
    uniqueKeysWithValues: frames.enumerated().map { ($0.element, $0.offset) })

  /// The place in the minute of the first whole frame in a stream.
  static func place(in stream: [UInt8]) -> Double? {
    guard stream.count >= frameBytes else { return nil }
    return numbers[Array(stream.prefix(frameBytes))].map { Double($0) * frameSeconds }
  }

  /// The place in the minute of the end of what is heard, by the pitch between the first and the last crossing of zero.
  ///
  /// Nil for silence, and for a jump or the beginning of a round in the middle of it.
  static func place(heard samples: [Float], sampleRate: Double) -> Double? {
    var crossings: [Double] = []
    var loudest: Float = 0
    for index in samples.indices.dropFirst() {
      let (before, after) = (samples[index - 1], samples[index])
      loudest = max(loudest, abs(after))
      if before < 0, after >= 0 {
        crossings.append(Double(index - 1) + Double(before / (before - after)))
      }
    }
    let periods = crossings.count - 1, half = periods / 2
    guard loudest >= 0.05, periods > 10, let first = crossings.first, let last = crossings.last,
      last >= Double(samples.count - 400)
    else { return nil }
    let middle = crossings[half]
    let halves = ((middle - first) / Double(half), (last - middle) / Double(periods - half))
    guard abs(halves.0 / halves.1 - 1) <= 0.02 else { return nil }
    let pitch = Double(periods) / (last - first) * sampleRate
    let rest = (Double(samples.count) - (first + last) / 2) / sampleRate
    return (pitch - lowest) / climb + rest
  }

  /// How far the programme jumped between moments of sound that follow each other, at most: seconds left out, or
  /// heard twice where that is less than nothing.
  /// - Parameter moments: each with the seconds that were to be heard until then, and the place that is.
  static func jump(_ moments: [(passed: Double, place: Double?)]) -> Double {
    let heard = moments.compactMap { moment in moment.place.map { (moment.passed, $0) } }
    return zip(heard, heard.dropFirst()).map { before, after in
      distance(after.1 - (after.0 - before.0), from: before.1)
    }.max { abs($0) < abs($1) } ?? 0
  }

  /// How far `place` is from `other` in the round of a minute: -30 ..< 30.
  static func distance(_ place: Double, from other: Double) -> Double {
    let distance = (place - other).truncatingRemainder(dividingBy: round)
    return distance >= round / 2
      ? distance - round : distance < -round / 2 ? distance + round : distance
  }

  /// On air since `before` seconds, no more of which than the relay takes at once, with "Artist N - Title N" from second 10 N on.
  static func upstream(
    before: Double = 240, burst: Double = 88
  ) async throws -> FakeUpstream {
    let titles = (0..<400).map {
      FakeProgramme.TitleChange(
        packet: Int((Double($0) * titleSeconds / frameSeconds).rounded(.up)),
        "Artist \($0) - Title \($0)")
    }
    let frames = try await offPool { Self.frames }
    let programme = FakeProgramme(
      sampleRate: sampleRate, before: before, titles: titles
    ) { frames[$0 % frameCount] }
    let upstream = try FakeUpstream(programme)
    var stream = FakeStream(burst: burst)
    // A block behind each frame, so that a title stands where its sound begins.
    stream.metaint = frameBytes
    upstream.reply("/live", with: .stream(stream))
    return upstream
  }

  /// The program itself with the station of the tone, which has more than a minute of past.
  struct Served {
    let upstream: FakeUpstream
    let server: LongwaveProcess
    /// Begins it again, on its data and at its address.
    let restart: () async throws -> LongwaveProcess
  }

  static func withServer(_ body: (Served) async throws -> Void) async throws {
    let upstream = try await upstream()
    defer { upstream.stop() }
    let data = TemporaryDirectory()
    let arguments = ["relay", upstream.url("/live"), "--id", "jazz"]
    let server = try await LongwaveProcess(arguments, data: data.path)
    try await eventually("some past") { try await server.api.seconds("jazz") > 85 }
    let port = server.address.port
    try await body(
      Served(upstream: upstream, server: server) {
        try await LongwaveProcess(arguments, data: data.path, port: port)
      })
  }

  private static func encode() throws -> [[UInt8]] {
    let scratch = TemporaryDirectory()
    // Two frames more: the first two of an encoder have nothing before them, so the second round's take their places.
    let count = (frameCount + 4) * 1152
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * 2)
    for index in 0..<count {
      let second = Double(index + codecDelay) / Double(sampleRate)
      let place = second.truncatingRemainder(dividingBy: round)
      let phase = 2 * Double.pi * (lowest * place + climb / 2 * place * place)
      let sample = Int16(12_000 * sin(phase))
      bytes.append(UInt8(truncatingIfNeeded: sample))
      bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
    }
    let (raw, out) = (scratch.write("raw", bytes), scratch.file("mp3"))
    try Tool.must(
      [
        "lame", "--quiet", "-r", "-s", "48", "--bitwidth", "16", "--signed", "--little-endian",
        "-m",
        "m", "-b", "128", "--nores", "-t", raw, out,
      ], in: scratch)
    let file = try readFile(out)
    let all = (0..<frameCount + 2).map {
      Array(file[$0 * frameBytes..<($0 + 1) * frameBytes])
    }
    return Array(all[frameCount...]) + Array(all[2..<frameCount])
  }
}
