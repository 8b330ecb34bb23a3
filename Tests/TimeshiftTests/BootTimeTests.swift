import TestSupport
import Testing

@testable import Timeshift

/// What tells how long a log was without its relay.
@Suite struct BootTimeTests {
  private static let boots = (1...2).map { BootID(bytes: [UInt8](repeating: $0, count: 16)) }

  @Test func `the id of the machine's start is read as the kernel writes it`() throws {
    let text = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
    let id = try #require(BootID(text: text + "\n"))
    #expect(id.bytes.prefix(3) == [0xf8, 0x1d, 0x4f] && id.bytes.last == 0xf6)
    #expect(BootID(text: text.uppercased()) == id)
    let wrong = [
      "", "\n", "-", String(text.dropLast()), text + "0", String(repeating: "0", count: 32),
      String(repeating: "+f", count: 16), String(repeating: "ä", count: 16),
      String(repeating: "a", count: 1 << 20), text.replacing("f", with: "g"),
    ]
    for text in wrong { #expect(BootID(text: text) == nil, "\(text.prefix(40))") }
    #expect(BootID.current == BootID.current)
  }

  struct Row: CustomTestStringConvertible {
    var words: String
    /// Of the machine's start in which the log was written, and now; 0: not known.
    var boots: (Int, Int) = (1, 1)
    /// Seconds that it took, for how long of them the machine slept, and by how much the wall clock is off then.
    var took = 10.0
    var slept = 0.0
    var off = 0.0
    /// Since when the machine runs, if it was started anew.
    var runs = 6.0
    var away: TimeAway
    var testDescription: String { words }
  }

  static let rows = [
    Row(words: "the clock is right", away: .exactly(10)),
    Row(words: "an hour ahead", off: 3600, away: .exactly(10)),
    Row(words: "an hour behind", off: -3600, away: .exactly(10)),
    Row(words: "years behind", off: -4e8, away: .exactly(10)),
    Row(words: "years ahead", off: 4e8, away: .exactly(10)),
    Row(words: "the machine slept", took: 500, slept: 490, away: .exactly(500)),
    Row(words: "it slept, and the clock is off", took: 90, slept: 80, off: 77, away: .exactly(90)),
    Row(words: "started anew", boots: (1, 2), away: .exactly(10)),
    Row(words: "started anew a day later", boots: (1, 2), took: 86_400, away: .exactly(86_400)),
    Row(words: "started anew, a little ahead", boots: (1, 2), off: 5, away: .exactly(15)),
    Row(words: "started anew, not set yet", boots: (1, 2), off: -86_400, away: .atLeast(6)),
    Row(words: "on another machine", boots: (1, 2), runs: 2.6e6, away: .exactly(10)),
    Row(words: "started anew, years ahead", boots: (1, 2), off: 4e8, away: .atLeast(6)),
    Row(words: "nobody wrote it", boots: (0, 2), away: .exactly(10)),
    Row(words: "nobody wrote it, behind", boots: (0, 2), off: -20, away: .atLeast(0)),
    Row(words: "the kernel does not say", boots: (1, 0), away: .exactly(10)),
    Row(words: "the kernel does not say, behind", boots: (1, 0), off: -20, away: .atLeast(0)),
    Row(words: "nobody knows", boots: (0, 0), off: -20, away: .atLeast(0)),
    Row(words: "the machine's clock went back", took: -100, off: 110, away: .exactly(10)),
  ]

  @Test(arguments: rows) func `a log's time without its relay is known as far as clocks allow`(
    row: Row
  ) throws {
    let clock = ManualClock()
    clock.advance(seconds: 1000)
    func boot(_ number: Int) -> BootID? { number > 0 ? Self.boots[number - 1] : nil }
    let old = try LogOnDisk(clock: clock, boot: boot(row.boots.0))
    old.feed(seconds: 20)
    old.log.close()
    clock.advance(seconds: row.took - row.slept)
    clock.sleep(seconds: row.slept)
    clock.stepWall(seconds: row.off)
    if row.boots.0 != row.boots.1 { clock.reboot(seconds: row.runs) }
    let new = try LogOnDisk(in: old.directory, clock: clock, boot: boot(row.boots.1))
    let away = try #require(new.log.away(at: clock.now))
    switch (away, row.away) {
    case (.exactly(let one), .exactly(let other)), (.atLeast(let one), .atLeast(let other)):
      #expect(abs(one - other) < 0.3)
    default: Issue.record("\(away)")
    }
  }

  @Test func `a log's time without its relay is known after a crash and across restarts`() throws {
    let clock = ManualClock()
    let old = try LogOnDisk(clock: clock, boot: Self.boots[0])
    old.feed(seconds: 300)
    // Nothing is sealed, and what the next process repeats of it counts as well.
    clock.advance(seconds: 20)
    let second = try LogOnDisk(in: old.directory, clock: clock, boot: Self.boots[0])
    clock.advance(seconds: 20)
    clock.stepWall(seconds: -777)
    let third = try LogOnDisk(in: old.directory, clock: clock, boot: Self.boots[0])
    guard case .exactly(let seconds)? = third.log.away(at: clock.now) else {
      Issue.record("not known")
      return
    }
    #expect(abs(seconds - 40) < 0.5)
    withExtendedLifetime(second) {}
  }
}
