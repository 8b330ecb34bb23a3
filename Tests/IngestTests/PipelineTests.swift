import TestSupport
import Testing
import Wire

@testable import Ingest

/// What a pipeline found, with the packets' bytes.
private struct Found: Equatable {
  var packets: [[UInt8]] = []
  /// Title texts with the number of the packet found next.
  var titles: [String] = []
  var places: [Int] = []

  mutating func take(_ arrivals: Arrivals) {
    for item in arrivals.items {
      switch item {
      case .title(let title):
        titles.append(title.text)
        places.append(packets.count)
      case .headers, .lost: break
      case .packet(let packet): packets.append(Array(arrivals.bytes[packet.range]))
      }
    }
  }
}

private func run(_ body: [UInt8], metaint: Int?, cuts: [Int]) -> Found {
  var pipeline = Pipeline(
    metaint: metaint, hint: .mp3, titles: TitleReader(UpstreamSettings(urls: [])))
  var found = Found()
  var (from, cut) = (0, 0)
  while from < body.count {
    let end = min(body.count, from + cuts[cut % cuts.count])
    found.take(pipeline.feed(body.span.extracting(from..<end)))
    (from, cut) = (end, cut + 1)
  }
  found.take(pipeline.finish())
  return found
}

@Suite struct PipelineTests {
  private let frames = (0..<60).map { NumberedFrames.frame(UInt64($0)) }

  private func interleave(_ audio: [UInt8], _ metaint: Int, titles: [Int: String]) -> [UInt8] {
    var out: [UInt8] = []
    for (index, start) in stride(from: 0, to: audio.count, by: metaint).enumerated() {
      let piece = audio[start..<min(audio.count, start + metaint)]
      out += piece
      guard piece.count == metaint else { break }
      out += titles[index].map { ICYBlock.bytes(for: Title(text: $0)) } ?? [0]
    }
    return out
  }

  @Test(arguments: [[100_000], [1], [417, 1, 3], [7, 4096, 16_384], [1400]])
  func `packets and titles do not depend on how the body is cut`(cuts: [Int]) {
    let body = interleave(frames.flatMap { $0 }, 1000, titles: [1: "One", 5: "Five", 12: "Twelve"])
    let found = run(body, metaint: 1000, cuts: cuts)
    #expect(found.packets == frames)
    #expect(found.titles == ["One", "Five", "Twelve"])
    // Block k stands after (k + 1) × 1000 bytes of audio: in the packet that holds that place.
    #expect(found.places == [2000, 6000, 13_000].map { Int(Double($0) / 417.96) })
  }

  @Test func `a block between two packets belongs to the second`() {
    let audio = frames.flatMap { $0 }
    let metaint = frames[0].count + frames[1].count
    let found = run(
      interleave(audio, metaint, titles: [0: "Border"]), metaint: metaint, cuts: [500])
    #expect(found.titles == ["Border"] && found.places == [2])
  }

  @Test func `two titles inside one packet are the later one`() {
    let body = interleave(frames.flatMap { $0 }, 40, titles: [20: "Early", 22: "Late"])
    let found = run(body, metaint: 40, cuts: [10_000])
    #expect(found.titles == ["Late"])
    #expect(found.packets == frames)
  }

  @Test func `a stream that begins in the middle of a packet loses that packet only`() {
    let body = Array(frames.flatMap { $0 }.dropFirst(200))
    #expect(run(body, metaint: nil, cuts: [1000]).packets == Array(frames.dropFirst()))
  }

  @Test func `a packet that is cut by the end is dropped`() {
    let body = Array(frames.flatMap { $0 }.dropLast(100))
    #expect(run(body, metaint: nil, cuts: [1000]).packets == Array(frames.dropLast()))
  }

  @Test func `bytes that are no audio are counted, tags are not`() throws {
    let titles = TitleReader(UpstreamSettings(urls: []))
    let audio = frames.flatMap { $0 }
    var tagged = Pipeline(metaint: nil, hint: nil, titles: titles)
    let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 100] + [UInt8](repeating: 0, count: 100)
    _ = tagged.feed((tag + audio).span)
    #expect(tagged.bytesSkipped == 0)
    var damaged = Pipeline(metaint: nil, hint: nil, titles: titles)
    _ = damaged.feed((audio + [UInt8](repeating: 7, count: 900) + audio).span)
    _ = damaged.finish()
    #expect(damaged.bytesSkipped == 900)
  }

  @Test func `a damaged page of Ogg is counted`() throws {
    let ogg = DemuxedOgg(try Fixtures.ogg(.opus))
    let body = ogg.stream()
    var pipeline = Pipeline(
      metaint: nil, hint: nil, titles: TitleReader(UpstreamSettings(urls: [])))
    var broken = body
    broken[body.count - ogg.pages.suffix(5).reduce(0) { $0 + $1.bytes.count } + 100] ^= 0xFF
    _ = pipeline.feed(broken.span)
    _ = pipeline.finish()
    #expect(pipeline.bytesSkipped == UInt64(ogg.pages[ogg.pages.count - 5].bytes.count))
  }

  @Test func `64 KiB without a frame are bad content and the buffer stays small`() {
    var pipeline = Pipeline(
      metaint: nil, hint: nil, titles: TitleReader(UpstreamSettings(urls: [])))
    let page = [UInt8](repeating: UInt8(ascii: "a"), count: 4096)
    var fed = 0
    while !pipeline.isBad && fed < 1 << 20 {
      let arrivals = pipeline.feed(page.span)
      fed += page.count
      #expect(arrivals.bytes.count <= 64 * 1024)
    }
    #expect(pipeline.isBad)
    #expect((64 * 1024...96 * 1024).contains(fed))
  }

  /// A connection gives a few bytes at a time if its server wants it so.
  @Test func `text announced as Ogg is scanned once, in however small pieces it comes`() {
    let text = [UInt8](repeating: UInt8(ascii: "O"), count: 8000)
    let growth = ThreadTime.growth(from: Array(text.prefix(2000)), to: text, enough: 8) { bytes in
      var pipeline = Pipeline(
        metaint: nil, hint: .vorbis, titles: TitleReader(UpstreamSettings(urls: [])))
      for index in bytes.indices { _ = pipeline.feed(bytes.span.extracting(index..<index + 1)) }
    }
    #expect(growth < 10, "16 is quadratic")
  }

  @Test func `a page of Ogg is found behind a stray text, in whatever pieces it comes`() {
    let text = Array("OggOggOOgg text".utf8)
    let page = Array("OggS".utf8) + [UInt8](repeating: 0, count: 60)
    for size in [1, 3, 4, 5, 100] {
      var pipeline = Pipeline(
        metaint: nil, hint: .vorbis, titles: TitleReader(UpstreamSettings(urls: [])))
      var rest = (text + page)[...]
      var arrivals = Arrivals()
      while !rest.isEmpty {
        arrivals = pipeline.feed(Array(rest.prefix(size)).span)
        rest = rest.dropFirst(size)
      }
      // What is read as Ogg shows packets that were made, and none of the raw bytes.
      #expect(arrivals.bytes.isEmpty && pipeline.isOgg)
    }
  }

  @Test(arguments: [100, 1000, 5000])
  func `a relay's packets have their place in its log, and none behind garbage`(size: Int) throws {
    let log = try #require(LogID("0123456789abcdef0123456789abcdef"))
    var pipeline = Pipeline(
      metaint: nil, hint: .mp3, titles: TitleReader(UpstreamSettings(urls: [])),
      place: RelayPlace(log: log, position: 7000))
    var next: UInt64 = 7000
    func take(_ arrivals: Arrivals) {
      #expect(arrivals.place == RelayPlace(log: log, position: next))
      for case .packet(let packet) in arrivals.items { next += UInt64(packet.range.count) }
    }
    let audio = frames.flatMap { $0 }
    for from in stride(from: 0, to: audio.count, by: size) {
      take(pipeline.feed(audio.span.extracting(from..<min(from + size, audio.count))))
    }
    _ = pipeline.feed(([UInt8](repeating: 7, count: 900) + audio).span)
    #expect(pipeline.finish().place == nil)
  }

  @Test(arguments: [100, 1000, 50_000])
  func `bytes besides packets are what is no packet, and a weight for each text`(size: Int) {
    let audio = frames.flatMap { $0 }
    let body = interleave(audio, 1000, titles: [1: "One", 5: "Five"])
    var pipeline = Pipeline(
      metaint: 1000, hint: .mp3, titles: TitleReader(UpstreamSettings(urls: [])))
    var besides = 0
    for from in stride(from: 0, to: body.count, by: size) {
      besides +=
        pipeline.feed(body.span.extracting(from..<min(from + size, body.count))).besides
    }
    for case .packet(let packet) in pipeline.finish().items { besides -= packet.range.count }
    #expect(besides == body.count - audio.count + 2 * BesidesBrake.textBytes)
  }

  @Test func `titles in Latin-1 are read`() {
    let title = Array("StreamTitle='Caf".utf8) + [0xE9] + Array("';".utf8)
    let padded = FakeStream.block(title)
    let audio = frames.flatMap { $0 }
    let found = run(
      Array(audio.prefix(900)) + padded + audio[900..<1800] + [0], metaint: 900, cuts: [64])
    #expect(found.titles == ["Café"])
  }

  @Test func `a body of nothing but tags is bad content in the end`() {
    var pipeline = Pipeline(
      metaint: nil, hint: nil, titles: TitleReader(UpstreamSettings(urls: [])))
    // 2 MiB each, as their heads say.
    let head = Array("ID3".utf8) + [4, 0, 0, 0, 0x7F, 0x7F, 0x76]
    let tag = head + [UInt8](repeating: 0, count: 2_097_142)
    var fed = 0
    while !pipeline.isBad && fed < 100 << 20 {
      _ = pipeline.feed(tag.span)
      fed += tag.count
    }
    #expect(pipeline.isBad && fed > Pipeline.bytesWithoutPacketMax)
  }
}
