import TestSupport
import Testing
import Timeshift

@testable import Store

@Suite struct StartLedgerTests {
  private func time(_ seconds: Int64) -> WallTime { WallTime(unixSeconds: 1_795_197_600 + seconds) }

  @Test func `three deaths in a row make the next start one with less`() {
    var ledger = StartLedger()
    for start in 0..<3 { #expect(ledger.begin(at: time(Int64(start)), boot: "a") == nil) }
    let fourth = ledger.begin(at: time(3), boot: "a")
    #expect(fourth == SafeMode(deaths: 3, stationsSince: nil))
    #expect(ledger.begin(at: time(4), boot: "a")?.deaths == 4)
  }

  @Test func `stations added since the last life are suspected first, then all of them`() {
    var ledger = StartLedger()
    _ = ledger.begin(at: time(0), boot: "a")
    ledger.live(at: time(60))
    ledger.live(at: time(120))
    for start in 0..<3 { _ = ledger.begin(at: time(200 + Int64(start)), boot: "a") }
    #expect(ledger.begin(at: time(210), boot: "a")?.stationsSince == time(120))
    #expect(ledger.begin(at: time(211), boot: "a") == SafeMode(deaths: 4, stationsSince: nil))
  }

  @Test func `a minute of life, an orderly stop and a restart of the machine are no deaths`() {
    var ledger = StartLedger()
    for round in 0..<20 {
      #expect(ledger.begin(at: time(Int64(round)), boot: "a") == nil)
      if round % 2 == 0 { ledger.live(at: time(Int64(round) + 60)) }
      if round % 2 == 1 { ledger.stop(hasStarted: true) }
    }
    for round in 0..<20 {
      #expect(ledger.begin(at: time(Int64(round)), boot: "boot-\(round)") == nil)
    }
  }

  @Test func `a start that fails for another reason proves nothing of the starts before`() {
    var ledger = StartLedger()
    _ = ledger.begin(at: time(0), boot: "a")
    _ = ledger.begin(at: time(1), boot: "a")
    for second in 2..<9 {
      #expect(ledger.begin(at: time(Int64(second)), boot: "a") == nil)
      ledger.stop(hasStarted: false)
    }
    _ = ledger.begin(at: time(10), boot: "a")
    #expect(ledger.begin(at: time(11), boot: "a")?.deaths == 3)
  }

  @Test func `a start with less that lives does not clear what is suspected`() {
    var ledger = StartLedger()
    _ = ledger.begin(at: time(0), boot: "a")
    ledger.live(at: time(60))
    for second in 100..<104 { _ = ledger.begin(at: time(Int64(second)), boot: "a") }
    ledger.live(at: time(200))
    #expect(ledger.lived == time(60) && ledger.safeMode?.deaths == 3 && ledger.starts.isEmpty)
    // The next one tries everything again.
    #expect(ledger.begin(at: time(300), boot: "a") == nil && ledger.safeMode == nil)
  }

  @Test func `a ledger is read as it was written, and anything else is passed over`() {
    var ledger = StartLedger()
    _ = ledger.begin(at: time(0), boot: "a-b")
    ledger.live(at: time(60))
    for second in 100..<104 { _ = ledger.begin(at: time(Int64(second)), boot: "a-b") }
    let read = StartLedger(text: ledger.text)
    #expect(read.starts == ledger.starts && read.lived == ledger.lived)
    #expect(read.safeMode?.deaths == 3)
    for text in [
      "", "\n\n", "start", "start x y", "start 9999-01-01T00:00:00Z a", "lived -1", "without -5",
      "without 9223372036854775808", "start \u{0} \u{0}", String(repeating: "x ", count: 9000),
    ] {
      var odd = StartLedger(text: text)
      #expect(odd.starts.isEmpty)
      #expect(odd.begin(at: time(0), boot: "a") == nil)
    }
  }

  @Test func `ids of events grow over starts, whatever the clock does, and however they end`() {
    let folder = TemporaryDirectory()
    var last: UInt64 = 0
    for (start, hours) in ([0, 1, -1, -1000, -400_000, 2, 0] as [Int64]).enumerated() {
      let watch = StartWatch(data: folder.path, now: time(hours * 3600), boot: "a")
      #expect(watch.firstEventID > last)
      last = watch.firstEventID + 5
      switch start % 4 {
      case 0: watch.stop(hasStarted: true, event: last)
      case 1: watch.live(at: time(hours * 3600 + 60), event: last)
      case 2: watch.stop(hasStarted: false)
      default: break
      }
    }
    // A clock that only goes on gives the ids of before: microseconds.
    let other = TemporaryDirectory()
    for hours: Int64 in 0..<3 {
      let watch = StartWatch(data: other.path, now: time(hours * 3600), boot: "a")
      #expect(watch.firstEventID == UInt64(1_795_197_600 + hours * 3600) * 1_000_000)
    }
    var ledger = StartLedger(text: "event \(UInt64.max)\nevent -1\nevent x\n")
    for second in 0..<3 as Range<Int64> {
      let before = ledger.eventID
      _ = ledger.begin(at: time(second), boot: "a")
      #expect(ledger.eventID > before || second > 0)
      #expect(ledger.eventID < UInt64.max / 2)
    }
  }

  @Test func `old records are not deleted by a clock that has leapt ahead`() {
    let folder = TemporaryDirectory()
    let now = Moment.now()
    StartWatch(data: folder.path, now: now.wall, boot: "a").stop(hasStarted: true)
    var leapt = now
    leapt.wall = leapt.wall.adding(seconds: 40 * 86_400)
    for _ in 0..<3 {
      let watch = StartWatch(data: folder.path, now: leapt.wall, boot: "a")
      #expect(watch.expiry.now(at: leapt) < now.wall.adding(seconds: 60))
      #expect(watch.expiry.state.doubt != nil)
    }
    let right = StartWatch(data: folder.path, boot: "a")
    #expect(right.expiry.state.doubt == nil && right.expiry.now() >= now.wall)
  }

  @Test func `a folder that cannot be written keeps nobody from starting`() {
    let watch = StartWatch(data: "/nowhere/at/all", now: time(0), boot: "a")
    #expect(watch.safeMode == nil)
    watch.live(at: time(60))
    watch.stop(hasStarted: true)
  }
}
