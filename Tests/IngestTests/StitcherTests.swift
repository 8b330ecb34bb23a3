import Testing
import Timeshift

@testable import Ingest

/// A programme as hashes: packet n is on air at n × `packet` seconds.
private let packet = 0.026

private func at(_ seconds: Double) -> MonotonicTime {
  MonotonicTime(nanoseconds: Int64((1000 + seconds) * 1e9))
}

/// Feeds what an upstream sends that was away from the tail's end until `back` and then bursts from `first`.
///
/// - Parameter log: what the log has instead of the tail's packets.
private func stitch(
  _ programme: [UInt32], log: [UInt32]? = nil, tail: Range<Int>, first: Int, back: Int,
  burstTakes: Double = 0.05
) -> (verdict: Stitcher.Verdict, at: Double) {
  let gone = Double(tail.upperBound) * packet
  let returned = Double(back) * packet
  var stitcher = Stitcher(tail: log ?? Array(programme[tail]), tailEnd: StitchEnd(at(gone)))
  var n = first
  var now = returned
  while now < returned + 10 {
    let share = burstTakes == 0 ? 1 : min(1, (now - returned) / burstTakes)
    let due = share < 1 ? first + Int(Double(back - first) * share) : Int(now / packet)
    while n < min(due, programme.count) {
      stitcher.arrive(programme[n], seconds: packet, at: at(now))
      n += 1
    }
    let verdict = stitcher.verdict(at: at(now))
    if verdict != .hold { return (verdict, now - returned) }
    now += 0.01
  }
  return (.hold, now)
}

/// The packet of the programme that is appended first after the verdict.
private func next(_ verdict: Stitcher.Verdict, first: Int) -> Int? {
  if case .matched(let drop, _, _) = verdict, drop.lowerBound == 0 {
    return first + drop.upperBound
  }
  return nil
}

@Suite struct StitcherTests {
  private func distinct(_ count: Int) -> [UInt32] {
    (0..<UInt32(count)).map { $0 &* 2_654_435_761 }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `a cut with any overlap goes on at exactly the next packet`(seed: UInt64) {
    var random = SplitMix(state: seed)
    let programme = distinct(12_000)
    let end = Int.random(in: 300...5000, using: &random)
    let start = max(0, end - Int.random(in: 8...4600, using: &random))
    let back = end + Int.random(in: 1...150, using: &random)
    let first = Int.random(in: max(0, start - 500)...(end - 8), using: &random)
    let result = stitch(programme, tail: start..<end, first: first, back: back)
    #expect(next(result.verdict, first: first) == end, "seed \(seed)")
  }

  @Test func `a burst that does not reach back is a gap of the seconds between`() {
    let programme = distinct(5000)
    let result = stitch(programme, tail: 0..<1000, first: 1900, back: 2000)
    guard case .gap(let seconds, _, _, _) = result.verdict else {
      Issue.record("no gap: \(result.verdict)")
      return
    }
    #expect(abs(seconds - 900 * packet) < 0.1)
    #expect(result.at >= 0.49 && result.at < 0.55)
  }

  @Test func `a gap without a burst is decided after the hold`() {
    let programme = distinct(5000)
    let result = stitch(programme, tail: 0..<1000, first: 1100, back: 1100)
    guard case .gap(let seconds, _, _, _) = result.verdict else {
      Issue.record("no gap: \(result.verdict)")
      return
    }
    #expect(abs(seconds - 100 * packet) < 0.1)
    #expect(result.at < 0.6)
  }

  @Test
  func `seven equal packets prove nothing and eight do, where the log's last one is not alone`() {
    var programme = distinct(3000)
    programme[500] = programme[999]
    let seven = stitch(programme, tail: 0..<1000, first: 993, back: 1100)
    #expect(next(seven.verdict, first: 993) == nil)
    let eight = stitch(programme, tail: 0..<1000, first: 992, back: 1100)
    #expect(next(eight.verdict, first: 992) == 1000)
  }

  @Test(arguments: 1...7)
  func `the log's last packets join a burst if the clock agrees, however few they are`(
    count: Int
  ) {
    let programme = distinct(3000)
    let first = 1000 - count
    let agreeing = stitch(programme, tail: 0..<1000, first: first, back: 1100)
    #expect(next(agreeing.verdict, first: first) == 1000)
    let early = stitch(programme, tail: 0..<1000, first: first, back: 1000 + 9000)
    #expect(next(early.verdict, first: first) == nil)
  }

  @Test func `a log of five packets is proven by all five`() {
    let programme = distinct(3000)
    let result = stitch(programme, tail: 0..<5, first: 0, back: 100)
    #expect(next(result.verdict, first: 0) == 5)
  }

  @Test func `an overlap longer than the tail is found`() {
    let programme = distinct(5000)
    let result = stitch(programme, tail: 900..<1000, first: 100, back: 1100)
    #expect(next(result.verdict, first: 100) == 1000)
  }

  @Test func `a long burst over a slow line is waited for once the run is proven`() {
    let programme = distinct(5000)
    let result = stitch(programme, tail: 0..<2000, first: 500, back: 2100, burstTakes: 2)
    #expect(next(result.verdict, first: 500) == 2000)
    #expect(result.at > 0.5)
  }

  // 20 s of digital silence by LAME CBR: 6 distinct frames of 768, in runs of 23 equal ones.
  private func silence(_ count: Int) -> [UInt32] {
    (0..<count).map { (n: Int) -> UInt32 in
      n % 24 == 23 ? UInt32(2 + n / 24 % 5) : 1
    }
  }

  @Test(arguments: 0..<12)
  func `digital silence is joined at the alignment nearest to the clock`(step: Int) {
    let programme = distinct(400) + silence(1500)
    let (end, back) = (1000 + step * 7, 1080 + step * 7)
    let first = back - 150
    let result = stitch(programme, tail: 200..<end, first: first, back: back)
    let joined = next(result.verdict, first: first)
    // Silence that repeats after 24 packets may be off by what the clock cannot tell, not by a repetition.
    #expect(abs((joined ?? 0) - end) < 12)
  }

  /// The programme, of which packets 500 to 739 are silence, and the log: that was joined inside of the silence, so many
  /// packets too early.
  private func seam(_ more: Int) -> (programme: [UInt32], log: [UInt32]) {
    let (before, after) = (distinct(500), distinct(3000)[500...].map { $0 &+ 1 })
    let programme = before + silence(240) + after
    return (programme, Array(programme[..<616] + programme[(616 - more)...]))
  }

  @Test(arguments: [-120, -96, -24, -1, 0, 1, 24, 72, 96], [0, 300, 480])
  func `silence that was joined at another repetition hides nothing of what is behind it`(
    more: Int, first: Int
  ) {
    let (programme, log) = seam(more)
    let end = 1100
    let result = stitch(
      programme, log: Array(log[350..<end + more]), tail: 350..<end, first: first, back: 1150)
    #expect(next(result.verdict, first: first) == end)
  }

  @Test func `a replay behind something else of the log is no seam where the clock disagrees`() {
    let log = distinct(1000)
    let fresh = distinct(3000).map { $0 &+ 1 }
    let programme = log + log[500..<600] + fresh[..<300] + log[900...] + fresh[300...]
    let result = stitch(programme, tail: 0..<1000, first: 1000, back: 1550)
    #expect(next(result.verdict, first: 1000) == nil)
  }

  @Test func `a tail that repeats one packet is joined by the clock`() {
    let programme = [UInt32](repeating: 9, count: 4000)
    let result = stitch(programme, tail: 0..<1000, first: 950, back: 1100)
    let joined = next(result.verdict, first: 950)
    #expect(abs((joined ?? 0) - 1000) <= 2)
    // 50 s away and 4 s sent again: all equal, but nothing of it is the tail.
    let late = stitch(programme, tail: 0..<1000, first: 2850, back: 3000)
    #expect(next(late.verdict, first: 2850) == nil)
  }

  @Test(arguments: [0, 37, 101, 190])
  func `a jingle loop is joined at the right repetition`(phase: Int) {
    let loop = distinct(192)
    let programme = (0..<20).flatMap { _ in loop }
    let (end, back) = (1000 + phase, 1060 + phase)
    let first = back - 770
    let result = stitch(programme, tail: 100..<end, first: first, back: back)
    #expect(next(result.verdict, first: first) == end)
  }

  @Test func `the tail ring keeps the newest seconds`() {
    var ring = TailRing(seconds: 10)
    for n in 0..<5000 { ring.append(UInt32(n), seconds: packet, bytes: 417) }
    let hashes = ring.hashes
    #expect(hashes.last == 4999)
    #expect(hashes.count == Int(10 / packet))
    #expect(hashes.first == UInt32(5000 - hashes.count))
  }

  @Test(arguments: [1, 5]) func `audio that repeats itself without end is not compared without end`(
    _ period: Int
  ) {
    let tail = (0..<16_000).map { UInt32($0 % period) }
    var stitcher = Stitcher(tail: tail, tailEnd: StitchEnd(at(0)))
    var arrived = 0
    while !stitcher.isExhausted && arrived < 170_000 {
      stitcher.arrive(UInt32(arrived % period), seconds: 0.001, at: at(0.1))
      arrived += 1
    }
    let steps = stitcher.steps
    for n in 0..<1000 { stitcher.arrive(UInt32(n % period), seconds: 0.001, at: at(0.1)) }
    #expect(stitcher.isExhausted && steps < 9_000_000 && stitcher.steps == steps)
    #expect(stitcher.verdict(at: at(0.2), isFinal: true) != .hold)
  }
}
