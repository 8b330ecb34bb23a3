import TestSupport
import Testing

@testable import Wire

struct MPEGSpliceTests {
  static let stereo: [UInt8] = [0xFF, 0xFB, 0x90, 0x04]

  /// Frames of 417 bytes with long windows, but for those that are named.
  static func frames(
    _ count: Int, short: Set<Int> = [], begin: Int = 0, head: [UInt8] = stereo
  ) throws -> [[UInt8]] {
    let header = try #require(mpegHeader(head))
    let granules = (header.version == .v1 ? 2 : 1) * header.channels
    return try (0..<count).map { index in
      let block = short.contains(index) ? 2 : nil
      return try MPEGSideInfoTests.frame(
        head, begin: begin,
        [MPEGSideInfoTests.Written](
          repeating: .init(length: 100, gain: 200, block: block), count: granules),
        bytes: 417 - header.mainDataOffset)
    }
  }

  static func piece(_ frames: [[UInt8]], _ trim: Int) -> MPEGSplice.Piece {
    MPEGSplice.Piece(frames: frames, trim: trim)
  }

  @Test(arguments: [
    // Trims of A and B; shift, frames of A, first of B, frames of the seam.
    (47, 1105, 0, 199, 22, 22), (47, 1205, 100, 199, 27, 27), (47, 1005, -100, 199, 27, 27),
    (1199, 1105, 0, 198, 22, 22), (0, 1105, -47, 199, 22, 22), (47, 1105 + 1152, 0, 199, 23, 22),
    (47, 1105 + 575, 575, 199, 146, 146), (47, 1105 - 575, -575, 199, 145, 145),
  ])
  func `B stands on A's grid, and what it is off by is stretched over its first seconds`(
    back: Int, front: Int, shift: Int, kept: Int, resumed: Int, count: Int
  ) throws {
    let frames = try Self.frames(220)
    let splice = try MPEGSplice(
      from: Self.piece(Array(frames[..<200]), back), to: Self.piece(frames, front), .exact,
      bitrate: 128)
    #expect(splice.shift == shift)
    #expect(splice.kept == kept)
    #expect(splice.resumed == resumed)
    #expect(splice.count == count)
    #expect(splice.start == 200 * 1152 - back - kept * 1152)
    #expect(splice.end == splice.start)
    #expect(splice.start >= MPEGSplice.reach)
  }

  @Test func `pieces that overlap are not stretched, and begin within half a frame`() throws {
    let frames = try Self.frames(220)
    for early in [0, 1, 575, 576, 44_100, 100_000] {
      let splice = try MPEGSplice(
        from: Self.piece(frames, 500), to: Self.piece(frames, 1105), .before(early),
        until: early, bitrate: 128)
      #expect(splice.shift == 0)
      #expect(abs(splice.end - splice.start - early) <= 576)
      #expect(splice.start >= MPEGSplice.reach)
      // All that overlaps is in the seam, and B's frames keep their grid.
      #expect(splice.count * 1152 >= splice.end + MPEGSplice.reach)
      #expect((splice.count - splice.resumed) * 1152 + 1105 == splice.start)
    }
  }

  @Test func `no border is beside short windows`() throws {
    let a = try Self.frames(200, short: [197, 199])
    let b = try Self.frames(220, short: [21, 23])
    let splice = try MPEGSplice(
      from: Self.piece(a, 47), to: Self.piece(b, 1105), .exact, bitrate: 128)
    // 199 and 198 have a short one on one side, 197 too.
    #expect(splice.kept == 196)
    #expect(splice.resumed == 25)
    #expect(splice.count == 199 + 25 - 196)
  }

  @Test func `where all frames have short windows, a border is where none is beside it`() throws {
    // Each frame begins with a long window, or ends with one, but has a short one.
    let mono: [UInt8] = [0xFF, 0xFB, 0x90, 0xC4]
    let frames = try (0..<220).map { index in
      try MPEGSideInfoTests.frame(
        mono, begin: 0,
        (index % 7 == 0 ? [2, 3] : index % 7 == 1 ? [1, 2] : [2, 2]).map {
          .init(length: 100, gain: 200, block: $0)
        }, bytes: 396)
    }
    let splice = try MPEGSplice(
      from: Self.piece(frames, 47), to: Self.piece(frames, 1105), .exact, bitrate: 128)
    #expect(splice.kept == 218 - 218 % 7 + 1)
    #expect(splice.resumed == 22)
  }

  @Test func `what cannot be joined is refused in words`() throws {
    let long = try Self.frames(220)
    let short = try Self.frames(220, short: Set(0..<220))
    func refusal(
      _ a: [[UInt8]], _ b: [[UInt8]], _ back: Int = 0, _ front: Int = 0,
      _ start: MPEGSplice.Start = .exact
    ) -> MPEGSplice.Refusal? {
      do throws(MPEGSplice.Refusal) {
        _ = try MPEGSplice(
          from: Self.piece(a, back), to: Self.piece(b, front), start, bitrate: 128)
        return nil
      } catch {
        return error
      }
    }
    let mono = try Self.frames(220, head: [0xFF, 0xFB, 0x90, 0xC4])
    let slow = try Self.frames(220, head: [0xFF, 0xFB, 0x94, 0x04])
    let free = try Self.frames(220, head: [0xFF, 0xFB, 0x00, 0x04])
    #expect(refusal(long, long) == nil)
    for other in [mono, slow, free, [], [[]], [[0xFF, 0xFB, 0x90, 0x04]], [[1, 2, 3, 4, 5]]] {
      #expect(refusal(long, other + long) == (other.isEmpty ? nil : .notOneFormat))
      #expect(refusal(other + long, long) == (other.isEmpty ? nil : .notOneFormat))
    }
    #expect(refusal([], long) == .notOneFormat)
    #expect(refusal(long, []) == .tooShort(.behind))
    #expect(refusal(Array(long.prefix(76)), long) == .tooShort(.before))
    #expect(refusal(Array(long.prefix(77)), long) == nil)
    #expect(refusal(long, Array(long.prefix(76))) == .tooShort(.behind))
    #expect(refusal(long, long, .max) == .tooShort(.before))
    #expect(refusal(long, long, 0, .max) == .tooShort(.behind))
    #expect(refusal(long, long, .min, .min) == nil)
    #expect(refusal(long, long, 0, 0, .before(.max)) == .tooShort(.before))
    #expect(refusal(short, long) == .noPlace(.before))
    #expect(refusal(long, short) == .noPlace(.behind))
    // Nobody has what B's frames borrow.
    let borrowing = try Self.frames(220, begin: 511).map { Array($0.prefix(36)) }
    #expect(refusal(long, borrowing) == .noPlace(.behind))
    let all: [MPEGSplice.Refusal] = [
      .notOneFormat, .tooShort(.before), .tooShort(.behind), .noPlace(.before), .noPlace(.behind),
      .noRoom,
    ]
    for refusal in all { #expect("\(refusal)".hasSuffix(".")) }
    #expect(Set(all.map { "\($0)" }).count == all.count)
  }

  @Test func `a B of two seconds is stretched by one percent at most`() throws {
    let frames = try Self.frames(220)
    let splice = try MPEGSplice(
      from: Self.piece(frames, 47), to: Self.piece(Array(frames[..<80]), 1105 + 575), .exact,
      bitrate: 128)
    #expect(splice.shift == 575)
    #expect(splice.resumed <= 80 - MPEGSplice.lookAhead)
    let stretched = splice.resumed * 1152 - MPEGSplice.reach - 1105 - 575
    #expect(stretched >= 575 * 100)
  }

  /// Each frame's main data, where the frames before have all of it.
  static func mainData(_ frames: [[UInt8]]) throws -> [[UInt8]?] {
    var all: [UInt8] = []
    return try frames.map { frame in
      let header = try #require(mpegHeader(frame))
      let info = try #require(MPEGSideInfoTests.info(frame))
      let begin = all.count - info.mainDataBegin
      all += frame[header.mainDataOffset...]
      guard begin >= 0, begin + info.dataBytes <= all.count else { return nil }
      return Array(all[begin..<begin + info.dataBytes])
    }
  }

  @Test(arguments: [
    (["-b", "128"], 44_100, 2), (["-b", "320"], 48_000, 2), (["-V", "2", "-p"], 44_100, 2),
    (["-b", "64"], 44_100, 1), (["-b", "160"], 22_050, 2), (["-b", "48", "-p"], 22_050, 1),
  ])
  func `a seam's frames carry their own main data and all that B borrows`(
    options: [String], rate: Int, channels: Int
  ) throws {
    func frames(_ options: [String], _ seconds: Double, seed: UInt64) throws -> [[UInt8]] {
      let file = try Fixtures.mp3(
        options, sampleRate: rate, channels: channels, seconds: seconds, seed: seed)
      return Harness.scan(file).packets.map { Array(file[$0]) }
    }
    let (a, b) = (try frames(options, 3, seed: 1), try frames(options, 6, seed: 2))
    let splice = try MPEGSplice(
      from: Self.piece(a, 900), to: Self.piece(b, 1105), .exact, bitrate: 320)
    let needs = MPEGSideInfoTests.info(b[splice.resumed])?.mainDataBegin
    #expect(needs ?? 0 > 0, "or this proves nothing")
    // Without a reservoir, and with a checksum, as a seam is encoded.
    let rates = options.contains("-V") ? ["-b", "192"] : Array(options.prefix(2))
    let whole = try frames(rates + ["--nores", "-p"], 6, seed: 3)
    let encoded = Array(whole[10...].prefix(splice.count))
    #expect(encoded.allSatisfy { MPEGSideInfoTests.info($0)?.mainDataBegin == 0 })
    let made = try splice.frames(of: encoded, like: a[splice.kept])
    #expect(made.count == encoded.count)
    for frame in made {
      let header = try #require(mpegHeader(frame))
      #expect(header.frameBytes == frame.count)
      let crc = MPEGChecksum.of(frame.span, header)
      #expect(crc == UInt16(frame[4]) << 8 | UInt16(frame[5]))
      #expect(frame[3] & 0x0F == a[splice.kept][3] & 0x0F)
    }
    let wanted = try Self.mainData(encoded) + Self.mainData(b)[splice.resumed...]
    let heard = try Self.mainData(
      a[..<splice.kept] + made + b[splice.resumed...])[splice.kept...]
    #expect(Array(heard) == wanted)
    #expect(heard.allSatisfy { $0 != nil })
    // Only the last frame is larger, if any.
    #expect(zip(made, encoded).dropLast().allSatisfy { $0.count == $1.count })
  }

  @Test func `what does not fit beside the largest frame is refused, and what is no frame too`()
    throws
  {
    let b = try Self.frames(220, begin: 511)
    let splice = try MPEGSplice(
      from: Self.piece(b, 47), to: Self.piece(b, 1105), .exact, bitrate: 320)
    // 320 kbit/s are 1,044 bytes: 160 kbit/s, 522, leave 511 free.
    #expect(splice.sureBitrate == 160)
    // Main data of 4 × 2,000 bits are all that 320 kbit/s hold.
    let full = try MPEGSideInfoTests.frame(
      [0xFF, 0xFB, 0xE0, 0x04], begin: 0,
      [MPEGSideInfoTests.Written](
        repeating: .init(length: 2_000, gain: 9, block: nil), count: 4), bytes: 1_008)
    func refusal(_ frames: [[UInt8]]) -> MPEGSplice.Refusal? {
      do throws(MPEGSplice.Refusal) {
        _ = try splice.frames(of: frames, like: b[0])
        return nil
      } catch {
        return error
      }
    }
    let encoded = [[UInt8]](repeating: full, count: splice.count)
    // 8 bytes of each are free, and go together.
    #expect(refusal(encoded) == .noRoom)
    #expect(refusal(try Self.frames(splice.count)) == nil)
    #expect(refusal(Array(encoded.dropLast())) == .notOneFormat)
    #expect(refusal(encoded.map { Array($0.prefix(100)) }) == .noRoom)
    #expect(refusal(try Self.frames(splice.count, begin: 1)) == .noRoom)
    #expect(refusal(encoded.map { _ in [] }) == .noRoom)
  }

  @Test func `a seam fits where its outer windows are long on the outside`() throws {
    let frames = try Self.frames(220)
    let splice = try MPEGSplice(
      from: Self.piece(frames, 47), to: Self.piece(frames, 1105), .exact, bitrate: 128)
    let mono: [UInt8] = [0xFF, 0xFB, 0x90, 0xC4]
    func frame(_ blocks: [Int?]) throws -> [UInt8] {
      try MPEGSideInfoTests.frame(
        mono, begin: 0, blocks.map { .init(length: 0, gain: 0, block: $0) })
    }
    #expect(splice.fits([try frame([nil, 1]), try frame([2, 3])]))
    #expect(splice.fits([try frame([1, 2]), try frame([3, nil])]))
    #expect(!splice.fits([try frame([2, 2]), try frame([nil, nil])]))
    #expect(!splice.fits([try frame([nil, nil]), try frame([nil, 1])]))
    #expect(!splice.fits([try frame([3, nil]), try frame([nil, 3])]))
    #expect(!splice.fits([]))
  }

  @Test func `mutated frames are joined, or refused`() throws {
    let file = try Fixtures.mp3(["-b", "128"], seconds: 6)
    let frames = Harness.scan(file).packets.map { Array(file[$0]) }
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed: seed)
    var joined = 0
    for round in 0..<60 {
      var (a, b) = (Array(frames.suffix(100)), frames)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let index = Int.random(in: 70..<100, using: &random)
        if Bool.random(using: &random) {
          a[index] = random.mutated(a[index])
        } else {
          b[index] = random.mutated(b[index])
        }
      }
      let start: MPEGSplice.Start =
        round % 2 == 0 ? .exact : .before(Int.random(in: -9...400_000, using: &random))
      let splice = try? MPEGSplice(
        from: Self.piece(a, Int.random(in: -9...4_000, using: &random)),
        to: Self.piece(b, Int.random(in: -9...4_000, using: &random)), start,
        until: Int.random(in: -9...400_000, using: &random), bitrate: 128)
      guard let splice else { continue }
      #expect(splice.count > 0 && splice.kept < a.count, "seed \(seed)")
      let seam = (0..<splice.count).map { random.mutated(frames[$0 % frames.count]) }
      _ = try? splice.frames(of: seam, like: a[splice.kept])
      joined += 1
    }
    #expect(joined > 5, "seed \(seed)")
  }
}
