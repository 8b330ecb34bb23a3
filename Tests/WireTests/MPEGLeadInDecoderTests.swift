import TestSupport
import Testing
import Wire

/// Jumps from one place of a LAME file to another, decoded by real decoders.
struct MPEGLeadInDecoderTests {
  struct File {
    var frames: [[UInt8]]
    var samples: Int
    var channels: Int
  }

  static func file(_ options: [String], seed: UInt64 = 1) throws -> File {
    let bytes = try Fixtures.mp3(options, seconds: 2, seed: seed)
    let pieces = Harness.scan(bytes)
    let header = try #require(mpegHeader(bytes, at: pieces.packets[0].lowerBound))
    return File(
      frames: pieces.packets.map { Array(bytes[$0]) }, samples: header.samples,
      channels: header.channels)
  }

  /// Where jumps go: needs of all sizes.
  static let jumps = [(10, 50), (30, 9), (15, 14)]

  enum Decoder: CaseIterable { case mpg123, ffmpeg }

  static func decode(_ bytes: [UInt8], with decoder: Decoder) throws -> [Int16] {
    switch decoder {
    case .mpg123: try Fixtures.mpg123(bytes).samples
    case .ffmpeg: try Fixtures.ffmpegDecode(bytes, format: "mp3").samples
    }
  }

  /// What a listener who jumps hears of one frame, against the undisturbed decode.
  struct Heard {
    /// The largest difference of a sample.
    var error: Int
    /// How loud it is and should be: mean squares.
    var power: Int
    var truePower: Int
  }

  /// The first `count` frames from the target on, behind a jump from frame `from` to it.
  static func hear(
    _ file: File, _ truth: [Int16], from: Int, to target: Int, leadIn: [UInt8],
    frames count: Int, with decoder: Decoder
  ) throws -> [Heard] {
    // Two frames more than are listened to: some decoders hold the last one back.
    let after = file.frames[target..<target + count + 2].flatMap { $0 }
    let spliced = try decode(
      file.frames[..<from].flatMap { $0 } + leadIn + after, with: decoder)
    let made = Harness.scan(leadIn).packets.count
    let length = file.samples * file.channels
    try #require(truth.count >= file.frames.count * length)
    return (0..<count).map { index in
      let there = (from + made + index) * length
      let here = (target + index) * length
      var heard = Heard(error: 0, power: 0, truePower: 0)
      for i in 0..<length {
        let got = Int(spliced[there + i])
        let wanted = Int(truth[here + i])
        heard.error = max(heard.error, abs(got - wanted))
        heard.power += got * got
        heard.truePower += wanted * wanted
      }
      return heard
    }
  }

  @Test(
    arguments: [
      ["-b", "128"], ["-b", "64"], ["-b", "64", "--resample", "44.1"], ["-V", "2"],
      ["-b", "48", "--resample", "22.05"],
      ["-b", "128", "-p"],
    ], Decoder.allCases)
  func `a jump with a lead-in fades in and is clean after two granules`(
    options: [String], decoder: Decoder
  ) throws {
    let file = try Self.file(options)
    let truth = try Self.decode(file.frames.flatMap { $0 }, with: decoder)
    for (from, target) in Self.jumps {
      let leadIn = try #require(
        MPEGLeadInTests.leadIn(
          file.frames[target], Array(file.frames[max(0, target - 9)..<target])))
      let heard = try Self.hear(
        file, truth, from: from, to: target, leadIn: leadIn, frames: 6, with: decoder)
      #expect(heard[0].power < heard[0].truePower * 5 / 4, "it fades in, it does not burst in")
      // The overlap of the transform and the 481 samples of history of the filter bank (11172-3
      // §2.4.3.4) reach over less than two granules of 576: one frame of MPEG-1, two of MPEG-2.
      // Rounding to 16 bits is all that may differ after them.
      let clean = heard[(1152 / file.samples)...].map(\.error)
      #expect(clean.allSatisfy { $0 <= 2 }, "\(from) to \(target): \(clean)")
    }
  }

  // ffmpeg does not read free format.
  @Test func `a lead-in of several free-format frames is as good`() throws {
    let file = try Self.file(["--freeformat", "-b", "144"])
    let truth = try Self.decode(file.frames.flatMap { $0 }, with: .mpg123)
    let target = try #require(
      (20..<60).max {
        MPEGLeadInTests.need(file.frames[$0]) < MPEGLeadInTests.need(file.frames[$1])
      })
    let leadIn = try #require(
      MPEGLeadInTests.leadIn(file.frames[target], Array(file.frames[target - 9..<target])))
    #expect(Harness.scan(leadIn).packets.count == 2)
    let heard = try Self.hear(
      file, truth, from: 10, to: target, leadIn: leadIn, frames: 6, with: .mpg123)
    #expect(heard[1...].allSatisfy { $0.error <= 2 }, "\(heard.map(\.error))")
  }

  @Test(arguments: [["-b", "128"], ["-V", "2"]])
  func `a jump without a lead-in spoils the target`(options: [String]) throws {
    let file = try Self.file(options)
    let truth = try Self.decode(file.frames.flatMap { $0 }, with: .mpg123)
    var spoilt = 0
    for (from, target) in Self.jumps where MPEGLeadInTests.need(file.frames[target]) > 0 {
      let heard = try Self.hear(
        file, truth, from: from, to: target, leadIn: [], frames: 3, with: .mpg123)
      if heard[1...].contains(where: { $0.error > 500 }) { spoilt += 1 }
    }
    #expect(spoilt > 0, "or these tests prove nothing")
  }
}
