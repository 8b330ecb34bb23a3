import Ingest
import Testing
import Timeshift
import Wire

@testable import Longwave

@Suite struct StationLedgerTests {
  private static func time(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(seconds * 1e9))
  }

  @Test func `off air is what is to play and does not, up to now`() {
    let ledger = StationLedger()
    func enter(_ state: StationState, at seconds: Double) {
      ledger.note(.state(state, reason: ""), of: "jazz", at: Self.time(seconds))
    }
    func offAir(at seconds: Double) -> Double? {
      ledger.counts(at: Self.time(seconds))["jazz"]?.offAirSeconds
    }
    enter(.connecting, at: 10)
    #expect(offAir(at: 12) == 2)
    enter(.buffering, at: 13)
    enter(.playing, at: 14)
    #expect(offAir(at: 100) == 4)
    // Shorter than the time between two scrapes.
    enter(.connecting, at: 100)
    enter(.playing, at: 100.5)
    #expect(offAir(at: 101) == 4.5)
    enter(.failed, at: 110)
    #expect(offAir(at: 111) == 5.5)
    enter(.stopped, at: 112)
    #expect(offAir(at: 200) == 6.5)
    enter(.paused, at: 200)
    #expect(offAir(at: 300) == 6.5)
  }

  @Test func `gaps, losses, titles and what was given up are counted by station`() {
    let ledger = StationLedger()
    ledger.note(.gap(GapMark(position: 0, seconds: 2, cause: .restart)), of: "jazz")
    ledger.note(.upstreamLeft(.timeout), of: "jazz")
    ledger.note(.upstreamLeft(.timeout), of: "jazz")
    ledger.note(.reconnected(Reconnection(stitchedSeconds: 3, lostSeconds: 1.5)), of: "jazz")
    ledger.note(.reconnected(Reconnection(stitchedSeconds: 1, lostSeconds: -1)), of: "jazz")
    ledger.note(.title(Title(text: "A - B"), position: 0), of: "rock")
    ledger.gaveUp(MediaTime(seconds: 60), of: "rock")
    let counts = ledger.counts()
    #expect(counts["jazz"]?.gaps == [.restart: 1] && counts["jazz"]?.losses == [.timeout: 2])
    #expect(counts["jazz"]?.stitchedSeconds == 4 && counts["jazz"]?.lostSeconds == 1.5)
    #expect(counts["rock"]?.titles == 1 && counts["rock"]?.givenUpSeconds == 60)
    ledger.keep { $0 == "rock" }
    #expect(Set(ledger.counts().keys) == ["rock"])
  }
}
