import Testing
import Timeshift

@testable import Server

@Suite struct FilePaceTests {
  private static let second: Int64 = 1_000_000_000
  private static let burst = MediaTime(seconds: 30)

  @Test func `a file with a share of the slot is owed its burst at once, then what plays`() {
    var pace = FilePace(burst: Self.burst, now: 0)
    #expect(pace.owed(.zero, isPrompt: true, now: 0) == Self.burst)
    pace.caughtUp(isPrompt: true)
    #expect(pace.isPaced)
    #expect(pace.owed(Self.burst, isPrompt: false, now: 5 * Self.second) == MediaTime(seconds: 35))
  }

  @Test func `a file without a share goes a quarter faster than it plays up to its burst`() {
    var pace = FilePace(burst: Self.burst, now: 0)
    #expect(pace.owed(.zero, isPrompt: false, now: 8 * Self.second) == MediaTime(seconds: 10))
    pace.caughtUp(isPrompt: false)
    #expect(!pace.isPaced)
    let sent = MediaTime(seconds: 200)
    #expect(pace.owed(sent, isPrompt: false, now: 200 * Self.second) == MediaTime(seconds: 230))
  }

  @Test func `a file whose socket takes less than plays has another burst, and gathers no credit`()
  {
    var pace = FilePace(burst: Self.burst, now: 0)
    _ = pace.owed(.zero, isPrompt: true, now: 0)
    pace.caughtUp(isPrompt: true)
    pace.isStalled = true
    let taken = MediaTime(seconds: 5)
    let owed = pace.owed(taken, isPrompt: false, now: 100 * Self.second)
    #expect(owed == taken)
    #expect(!pace.isPaced)
    #expect(pace.owed(taken, isPrompt: true, now: 100 * Self.second) == taken + Self.burst)
  }
}
