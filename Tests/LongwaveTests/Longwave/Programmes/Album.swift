import Glibc
import Library
import TestSupport
import Testing
import Wire

/// One sound that goes on over all of an album's tracks, each a file by `lame`.
struct Album {
  static let rate = 44_100
  /// Hz of the left tone and of the right one.
  static let tones = [441.0, 554.0]
  static let amplitude = 0.4

  let folder = TemporaryDirectory()
  let rate: Int

  /// - Parameters:
  ///   - seconds: of each track.
  ///   - options: of `lame`.
  ///   - flac: the numbers of tracks that are FLAC.
  ///   - together: whether one call makes all tracks, which then say nothing of what was added.
  init(
    _ seconds: [Double], _ options: [String] = ["-b", "128"], rate: Int = Album.rate,
    flac: Set<Int> = [], together: Bool = false
  ) throws {
    self.rate = rate
    let scratch = TemporaryDirectory()
    let sound = try Self.sound(seconds.reduce(0, +) + 1, rate)
    var place = 0
    var paths: [String] = []
    for (number, length) in seconds.enumerated() {
      let count = Int(length * Double(rate))
      let bytes = sound[place * 4..<(place + count) * 4]
      place += count
      let name = "Artist - Track \(number + 10)"
      let wave = Self.wave(bytes, rate)
      paths.append(scratch.write(name + ".wav", wave))
      if together { continue }
      if flac.contains(number) {
        try Tool.must(
          ["flac", "-s", "-o", folder.file(name + ".flac"), paths[number]], in: scratch)
        continue
      }
      try Tool.must(
        ["lame", "--quiet", "--scale", "1"] + options
          + [paths[number], folder.file(name + ".mp3")], in: scratch)
    }
    if together {
      try Tool.must(
        ["lame", "--quiet", "--scale", "1"] + options + ["--nogap"] + paths
          + ["--nogapout", folder.path], in: scratch)
    }
    age()
  }

  /// Interleaved samples of two bytes.
  private static func sound(_ seconds: Double, _ rate: Int) throws -> [UInt8] {
    let scratch = TemporaryDirectory()
    let sines = tones.map { "\(amplitude)*sin(2*PI*\($0)*t)" }.joined(separator: "|")
    try Tool.must(
      [
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
        "aevalsrc=\(sines):s=\(rate):d=\(seconds):c=stereo", "-f", "s16le", scratch.file("out"),
      ], in: scratch)
    return try readFile(scratch.file("out"))
  }

  private static func wave(_ sound: ArraySlice<UInt8>, _ rate: Int) -> [UInt8] {
    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    let bytes = sound.count
    return Array("RIFF".utf8) + number(36 + bytes, 4) + Array("WAVEfmt ".utf8) + number(16, 4)
      + number(1, 2) + number(2, 2) + number(rate, 4) + number(rate * 4, 4) + number(4, 2)
      + number(16, 2) + Array("data".utf8) + number(bytes, 4)
      + sound
  }

  /// Makes all files an hour old: one that was just written waits for the next look.
  private func age() {
    let time = timeval(tv_sec: Glibc.time(nil) - 3600, tv_usec: 0)
    for name in folder.names {
      #expect(
        [time, time].withUnsafeBufferPointer { utimes(folder.file(name), $0.baseAddress) } == 0)
    }
  }

  var found: MusicFolder { MusicScan(folder.path, tags: nil).look().folder }

  /// The tracks' sounds one behind the other, as a decoder that leaves out what was added gives them.
  ///
  /// An encoder that hears a tone end or begin makes errors there, which no join can take back.
  func decoded(_ files: some Sequence<MusicFile>) throws -> HeardAlbum {
    let scratch = TemporaryDirectory()
    var samples: [Int16] = []
    for file in files {
      let path = folder.path + "/" + String(decoding: file.path, as: UTF8.self)
      let output = try Tool.must(["mpg123", "-q", "-s", path], in: scratch).output
      output.withUnsafeBytes { bytes in
        for place in stride(from: 0, to: bytes.count - 1, by: 2) {
          samples.append(bytes.loadUnaligned(fromByteOffset: place, as: Int16.self))
        }
      }
    }
    return HeardAlbum(samples, rate: rate)
  }

  /// The frames of a track.
  func frames(_ file: MusicFile) throws -> [[UInt8]] {
    let bytes = try readFile(folder.path + "/" + String(decoding: file.path, as: UTF8.self))
    var (scanner, place, frames) = (PacketScanner(), 0, [[UInt8]]())
    while let finding = scanner.next(in: bytes.span, from: place, atEnd: true) {
      place = finding.range.upperBound
      if case .packet = finding { frames.append(Array(bytes[finding.range])) }
    }
    return frames
  }
}

/// A stream of an album, decoded by two decoders.
struct HeardAlbum {
  let samples: [Int16]
  let complaints: String
  let rate: Int

  init(_ samples: [Int16], rate: Int) {
    (self.samples, self.rate, complaints) = (samples, rate, "")
  }

  init(_ stream: [UInt8], rate: Int = Album.rate) throws {
    let mpg123 = try Fixtures.mpg123(stream)
    let ffmpeg = try Fixtures.ffmpegDecode(stream, format: "mp3")
    samples = mpg123.samples
    self.rate = rate
    var complaints = (mpg123.log + ffmpeg.log).split(separator: "\n")
      .filter { !$0.contains("Estimating duration") }.joined()
    let differs = zip(mpg123.samples, ffmpeg.samples).contains { abs(Int($0) - Int($1)) > 1 }
    if differs || mpg123.samples.count != ffmpeg.samples.count {
      complaints += "the decoders do not agree"
    }
    self.complaints = complaints
  }

  /// How far the sound is off a steady tone: the softest 5 ms as a part of what they should be, and the greatest bend of the
  /// wave as a multiple of the tone's own. The ends, where an encoder begins and stops, are left out.
  func steadiness(_ amplitude: Double = Album.amplitude) -> (softest: Double, bend: Double) {
    var (softest, bend) = (Double.infinity, 0.0)
    let edge = rate / 10
    let frames = samples.count / 2
    for (channel, hertz) in Album.tones.enumerated() {
      let wave = stride(from: channel, to: samples.count, by: 2).map {
        Double(samples[$0]) / 32_767
      }
      let step = 2 * .pi * hertz / Double(rate)
      for place in edge..<frames - edge {
        let second = wave[place + 1] - 2 * wave[place] + wave[place - 1]
        bend = max(bend, abs(second) / (amplitude * step * step))
      }
      let length = rate / 200
      for place in stride(from: edge, to: frames - edge - length, by: length) {
        // By a tone's own power; 5 ms have two periods or more.
        let power = wave[place..<place + length].reduce(0) { $0 + $1 * $1 } / Double(length)
        softest = min(softest, (2 * power).squareRoot() / amplitude)
      }
    }
    return (softest, bend)
  }
}
