import TestSupport
import Testing

@testable import Wire

/// What a setup header says to a reader that begins where decoders do.
@Suite struct VorbisSetupTests {
  private func header(_ change: (inout VorbisHeader) -> Void) -> [UInt8] {
    var header = VorbisHeader()
    change(&header)
    return header.packet
  }

  private func setup(_ change: (inout VorbisHeader) -> Void) -> VorbisSetup? {
    VorbisSetup(header(change), channels: 2)
  }

  @Test(arguments: [
    [true], [false, true], [true, false, true], Array(repeating: true, count: 64),
  ])
  func `modes are read in their order`(modes: [Bool]) {
    let found = setup { $0.modes = modes }
    #expect(found?.isLong == modes && found?.isFollowed == false)
  }

  @Test func `modes behind the framing bit count for nothing, and are noticed`() {
    let found = setup { ($0.modes, $0.falseModes) = ([true], [false]) }
    #expect(found?.isLong == [true] && found?.isFollowed == true)
  }

  @Test func `a mapping that looks like one mode more counts for nothing`() {
    // Backwards from the framing bit, two modes would agree with their number.
    let found = setup { ($0.modes, $0.times) = ([true], [0x80, 0]) }
    #expect(found?.isLong == [true] && found?.isFollowed == false)
  }

  @Test func `bytes of zero behind the framing bit are none`() {
    let packet = header { $0.modes = [false, true] }
    let found = VorbisSetup(packet + [UInt8](repeating: 0, count: 1000), channels: 2)
    #expect(found == VorbisSetup(packet, channels: 2) && found?.isFollowed == false)
    #expect(VorbisSetup(packet + [0, 0, 1], channels: 2)?.isFollowed == true)
  }

  @Test func `a setup that ends too early, or says what none may, is damaged`() {
    let packet = header { header in
      header.books = [
        VorbisBook(words: 9, lookup: 1), VorbisBook(dimensions: 4, words: 81, lookup: 2),
      ]
      header.modes = [false, true]
    }
    #expect(VorbisSetup(packet, channels: 2) != nil)
    for count in packet.indices {
      #expect(VorbisSetup(Array(packet.prefix(count)), channels: 2) == nil, "\(count) bytes")
    }
    #expect(setup { $0.framing = 0 } == nil)
    #expect(setup { $0.mapping = 1 } == nil)
    #expect(setup { $0.windowType = 1 } == nil)
    #expect(setup { $0.floor = 2 } == nil)
    #expect(setup { $0.books = [VorbisBook(dimensions: 0)] } == nil)
    #expect(setup { $0.books = [VorbisBook(words: 4, numbers: [5])] } == nil)
    #expect(VorbisSetup([3] + packet.dropFirst(), channels: 2) == nil)
  }

  @Test func `codebooks are counted, and an old floor is noticed`() {
    let found = setup { header in
      header.books = [
        VorbisBook(dimensions: 3, words: 9, lookup: 2),
        VorbisBook(words: 1 << 23, numbers: [0, 1 << 23], least: 24),
      ]
      header.floor = 0
    }
    #expect(found?.words == 9 + 1 << 23 && found?.values == 27 && found?.deepWords == 1 << 23)
    #expect(found?.hasFloorZero == true && found?.isLong == [false])
    #expect(setup { _ in }?.hasFloorZero == false)
  }

  @Test(arguments: [("libvorbis", [1, 2, 6]), ("vorbis", [2])])
  func `the headers of encoders are read to their end`(encoder: String, channels: [Int]) throws {
    for channels in channels {
      for rate in [8000, 22_050, 44_100, 96_000] {
        let options = ["-c:a", encoder, "-strict", "-2", "-q:a", rate == 22_050 ? "9" : "1"]
        let file = try ToneFile(options, "ogg", rate, channels).bytes(seconds: 0.2)
        let headers = try #require(DemuxedOgg(file).headers.first)
        let found = VorbisSetup(headers.packets[2], channels: channels)
        // Blocks of low rates are all of one length.
        let isRight = found?.isLong == [false, true] || found?.isLong == [false]
        #expect(isRight, "\(rate) Hz, \(channels) channels")
        #expect(found?.isFollowed == false && found?.hasFloorZero == false)
        #expect(found?.words ?? .max < 1 << 16 && found?.values ?? .max < 1 << 20)
      }
    }
  }

  @Test func `a damaged Vorbis setup is refused or gives at most 64 modes`() throws {
    let file = try Fixtures.ogg(.vorbis, sampleRate: 44_100, channels: 2)
    let packet = try #require(DemuxedOgg(file).headers.first).packets[2]
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed: seed)
    var (damaged, read) = (0, 0)
    for _ in 0..<200 {
      let found = VorbisSetup(
        random.mutated(packet), channels: Int.random(in: 1...255, using: &random))
      if found == nil { damaged += 1 } else { read += 1 }
      #expect((found?.isLong.count ?? 1) <= 64, "seed \(seed)")
    }
    #expect(damaged > 0, "seed \(seed): \(read) were read")
  }
}
