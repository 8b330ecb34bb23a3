import TestSupport
import Testing
import Wire

@testable import Ingest

@Suite struct UndeclaredBlocksTests {
  private struct Reading {
    var titles: [String] = []
    var packets: [[UInt8]] = []
    var metaint: Int?
  }

  private static let frames = (0..<400).map { NumberedFrames.frame(UInt64($0)) }
  private static let audio = frames.flatMap { $0 }

  /// The audio with a block every `metaint` bytes: those with a title at these numbers, empty ones between them.
  private func body(_ metaint: Int, titles: [Int: String], front: [UInt8] = []) -> [UInt8] {
    let audio = front + Self.audio
    return stride(from: 0, to: audio.count, by: metaint).enumerated().flatMap { number, start in
      let piece = Array(audio[start..<min(audio.count, start + metaint)])
      return piece + (titles[number].map { ICYBlock.bytes(for: Title(text: $0)) } ?? [0])
    }
  }

  private func read(_ body: [UInt8], cuts: [Int] = [1400]) -> Reading {
    var pipeline = Pipeline(
      metaint: nil, hint: .mp3, titles: TitleReader(UpstreamSettings(urls: [])))
    var reading = Reading()
    func take(_ arrivals: Arrivals) {
      for item in arrivals.items {
        switch item {
        case .title(let title): reading.titles.append(title.text)
        case .headers, .lost: break
        case .packet(let packet): reading.packets.append(Array(arrivals.bytes[packet.range]))
        }
      }
    }
    var (from, cut) = (0, 0)
    while from < body.count {
      let end = min(body.count, from + cuts[cut % cuts.count])
      take(pipeline.feed(body.span.extracting(from..<end)))
      (from, cut) = (end, cut + 1)
    }
    take(pipeline.finish())
    reading.metaint = pipeline.metaintFound
    return reading
  }

  @Test(arguments: [[1], [1400], [7, 4096, 3], [16_384]])
  func `titles without an announced metaint are read, however the body is cut`(cuts: [Int]) {
    let titles = Dictionary((0..<200).map { ($0, "Title \($0)") }) { first, _ in first }
    let found = read(body(1000, titles: titles), cuts: cuts)
    #expect(found.metaint == 1000)
    #expect(found.titles.suffix(20) == ((0..<167).map { "Title \($0)" }).suffix(20))
    #expect(found.packets.suffix(60) == Self.frames.suffix(60))
  }

  @Test func `one title and empty blocks behind it give an undeclared metaint`() {
    let found = read(body(1000, titles: [0: "Only"]))
    #expect(found.metaint == 1000 && found.titles == ["Only"])
    #expect(found.packets.suffix(60) == Self.frames.suffix(60))
  }

  @Test func `two titles with empty blocks around them give an undeclared metaint`() {
    let found = read(body(1000, titles: [2: "A", 6: "B"]))
    #expect(found.metaint == 1000 && found.titles.last == "B")
    #expect(found.packets.suffix(60) == Self.frames.suffix(60))
  }

  @Test func `a body that begins with something else is read from its second title on`() {
    let noise = [UInt8](repeating: 7, count: 123)
    let interleaved = noise + body(1000, titles: [0: "A", 3: "B", 8: "C"])
    #expect(read(interleaved).metaint == 1000)
  }

  @Test func `a stray text is no block`() {
    let stray = [2] + Array("StreamTitle='A';".utf8)
    let found = read(Array(Self.audio.prefix(20_000)) + stray + Self.audio.dropFirst(20_000))
    #expect(found.metaint == nil && found.titles.isEmpty)
    #expect(found.packets.suffix(60) == Self.frames.suffix(60))
  }

  @Test func `damage behind a stray text makes no block of it`() {
    let stray = [2] + Array("StreamTitle='A';".utf8)
    var body = Array(Self.audio.prefix(20_000)) + stray + Self.audio.dropFirst(20_000)
    for place in stride(from: 30_000, to: 60_000, by: 5000) { body.remove(at: place) }
    #expect(read(body).metaint == nil)
  }
}
