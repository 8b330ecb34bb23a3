import Glibc
import TestSupport
import Testing
import Wire

@testable import Audio

/// A kind of file that `lame` makes, and the bit rate of seams in it.
struct SeamFormat: CustomTestStringConvertible, Sendable {
  var options: [String]
  var rate = 44_100
  var channels = 2
  var bitrate: Int

  var testDescription: String {
    "\(rate) Hz, \(channels) channels, \(options.joined(separator: " "))"
  }
}

/// One sound that goes on over the border of two MP3 files, or two sounds; and the two files.
struct SeamFiles {
  let format: SeamFormat
  /// Interleaved.
  let sounds: [[Int16]]
  let pieces: [MPEGSplice.Piece]

  /// An album's border: one sound in two files.
  init(
    of format: SeamFormat, then other: SeamFormat? = nil, seconds: (Double, Double), seed: UInt64
  ) throws {
    let sound = Self.sound(format, seconds: seconds.0 + seconds.1, seed: seed)
    let border = Int(seconds.0 * Double(format.rate)) * format.channels
    try self.init(format, then: other, [Array(sound[..<border]), Array(sound[border...])])
  }

  /// The second file may be of another format at the same rate, in as many channels.
  init(_ format: SeamFormat, then other: SeamFormat? = nil, _ sounds: [[Int16]]) throws {
    (self.format, self.sounds) = (other ?? format, sounds)
    pieces = [
      try Self.piece(of: Self.mp3(format, sounds[0]), isFirst: true),
      try Self.piece(of: Self.mp3(other ?? format, sounds[1]), isFirst: false),
    ]
  }

  /// Notes and noise with a tone that rises through all of it: nothing of it stands still.
  static func sound(_ format: SeamFormat, seconds: Double, seed: UInt64) -> [Int16] {
    var sound = Fixtures.music(
      sampleRate: format.rate, channels: format.channels, seconds: seconds, seed: seed)
    for index in sound.indices {
      let time = Double(index / format.channels) / Double(format.rate)
      let tone = sin(2 * .pi * (300 * time + 350 * time * time)) * 4_000
      sound[index] = Int16(clamping: Int(sound[index]) / 2 + Int(tone))
    }
    return sound
  }

  private static func mp3(_ format: SeamFormat, _ sound: [Int16]) throws -> [UInt8] {
    let scratch = TemporaryDirectory()
    let raw = scratch.write("in.raw", sound.withUnsafeBytes { Array($0) })
    // Loudness is LAME's own affair; half a decibel of its own would be taken for an error.
    let input = [
      "lame", "--quiet", "-r", "-s", "\(Double(format.rate) / 1000)", "--bitwidth", "16",
      "--scale", "1", "-m", format.channels == 1 ? "m" : "j",
    ]
    try Tool.must(input + format.options + [raw, scratch.file("out.mp3")], in: scratch)
    return try readFile(scratch.file("out.mp3"))
  }

  private static func piece(of file: [UInt8], isFirst: Bool) throws -> MPEGSplice.Piece {
    var scanner = PacketScanner()
    var place = 0
    var frames: [[UInt8]] = []
    var info: MPEGInfo?
    while let finding = scanner.next(in: file.span, from: place, atEnd: true) {
      place = finding.range.upperBound
      let frame = Array(file[finding.range])
      if case .packet = finding { frames.append(frame) } else { info = MPEGInfo(in: frame.span) }
    }
    let trim = try #require(isFirst ? info?.back : info?.front)
    return MPEGSplice.Piece(frames: frames, trim: trim)
  }
}

/// Two files joined, decoded by two decoders, beside what should be heard.
struct SeamHeard {
  let files: SeamFiles
  let seam: SeamMaker.Seam
  let joined: [Int16]
  let complaints: String
  /// The greatest difference of the two decoders.
  let disagreement: Int

  init(_ files: SeamFiles, _ join: SeamMaker.Join, bitrate: Int? = nil) throws {
    let (a, b) = (files.pieces[0], files.pieces[1])
    seam = try SeamMaker(bitrate: bitrate ?? files.format.bitrate).seam(
      from: a, to: b, join)
    self.files = files
    let stream =
      (a.frames[..<seam.kept] + seam.frames + b.frames[seam.resumed...]).flatMap { $0 }
    let scratch = TemporaryDirectory()
    let path = scratch.write("in.mp3", stream)
    let mpg123 = try Tool.must(
      ["mpg123", "--no-gapless", "-w", scratch.file("wav"), path], in: scratch)
    let ffmpeg = try Fixtures.ffmpegDecode(stream, format: "mp3")
    joined = try Fixtures.mpg123(stream).samples
    disagreement =
      joined.count == ffmpeg.samples.count
      ? zip(joined, ffmpeg.samples).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) } : .max
    complaints =
      ffmpeg.log.split(separator: "\n").filter { !$0.contains("Estimating duration") }.joined()
      + mpg123.log.split(separator: "\n").filter { line in
        ["arning", "rror", "ote:", "issing", "esync", "unk"].contains { line.contains($0) }
      }.joined(separator: "\n")
  }

  /// Samples of a frame.
  var frameSamples: Int { files.format.rate >= 32_000 ? 1152 : 576 }
  /// Samples of a channel at which the seam begins and ends.
  var seamRange: Range<Int> {
    let begin = seam.kept * frameSamples
    return begin..<(begin + seam.frames.count * frameSamples)
  }

  /// B alone, decoded from its beginning.
  func alone() throws -> [Int16] {
    try Fixtures.mpg123(files.pieces[1].frames.flatMap { $0 }).samples
  }

  /// What should be heard, from the originals.
  func original(fade: Int? = nil) -> [Float] {
    let channels = files.format.channels
    let sounds = files.sounds.map { $0.map { Float($0) / 32_768 } }
    let start = seamRange.lowerBound + seam.start
    let front = MPEGInfo.decoderDelay + 576
    let end = front + sounds[0].count / channels
    let fixed = seamRange.upperBound - MPEGSplice.reach
    let length = Double(fixed - start)
    let share = (length - Double(seam.shift)) / length
    let grid = seamRange.upperBound - seam.resumed * frameSamples + front
    var heard = [Float](repeating: 0, count: joined.count)
    let stretch = SeamStretch(sounds[1], channels: channels)
    for place in 0..<(joined.count / channels) {
      for channel in 0..<channels {
        var value: Float = 0
        let before = place - front
        if before >= 0, place < end {
          value = sounds[0][before * channels + channel]
          if let fade, place > start {
            let part = Float(place - start) / Float(fade)
            value *= part < 1 ? cosf(.pi / 2 * part) : 0
          }
        }
        let index = (place - grid) * channels + channel
        if place >= fixed || (place >= start && seam.shift == 0) {
          if sounds[1].indices.contains(index) { value += sounds[1][index] }
        } else if place >= start {
          value += stretch.value(of: channel, at: Double(place - start) * share)
        }
        heard[place * channels + channel] = value
      }
    }
    return heard
  }

  /// Mean squares of 5 ms: of what differs, of what should be heard, and of what is.
  struct Block {
    var error: Float
    var power: Float
    var heard: Float
  }

  func blocks(_ original: [Float]) -> [Block] {
    let length = files.format.rate / 200 * files.format.channels
    return stride(from: 0, to: joined.count - length, by: length).map { from in
      var (error, power, heard): (Float, Float, Float) = (0, 0, 0)
      for index in from..<(from + length) {
        let value = Float(joined[index]) / 32_768
        let difference = value - original[index]
        error += difference * difference
        power += original[index] * original[index]
        heard += value * value
      }
      let count = Float(length)
      return Block(error: error / count, power: power / count, heard: heard / count)
    }
  }
}
