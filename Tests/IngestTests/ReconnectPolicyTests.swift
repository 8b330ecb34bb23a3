import Testing
import Timeshift

@testable import Ingest

@Suite struct ReconnectPolicyTests {
  private func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64((1000 + seconds) * 1e9))
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func
    `while the last audio is under five minutes old every wait is half to three quarters of a second`(
      seed: UInt64
    )
  {
    var policy = ReconnectPolicy(seed: seed)
    policy.delivered(at: at(0))
    for second in stride(from: 0.0, to: 299, by: 0.7) {
      let wait = policy.roundFailed(hopeless: false, at: at(second))
      #expect((0.5...0.75).contains(wait.seconds) && !wait.isFailed)
    }
  }

  @Test func `the wait doubles up to thirty seconds with jitter after five minutes`() {
    var policy = ReconnectPolicy(seed: 7)
    policy.delivered(at: at(0))
    let waits = (0..<12).map { _ in policy.roundFailed(hopeless: false, at: at(300)).seconds }
    for (round, wait) in waits.enumerated() {
      let full = min(30, 0.5 * Double(1 << round))
      #expect((full * 0.75...full).contains(wait))
    }
    #expect(Set(waits.suffix(5)).count == 5)
  }

  @Test func `audio that another had counts as long as it is fresh`() {
    for (away, isFresh) in [(0.0, true), (299, true), (301, false), (1e9, false)] {
      var policy = ReconnectPolicy(seed: 1)
      policy.recall(away: away, at: at(0))
      let waits = (0..<5).map { _ in policy.roundFailed(hopeless: false, at: at(0)).seconds }
      #expect(waits.allSatisfy { $0 <= 0.75 } == isFresh, "\(away) s: \(waits)")
    }
  }

  @Test func `audio makes the waits short again`() {
    var policy = ReconnectPolicy(seed: 1)
    for _ in 0..<20 { _ = policy.roundFailed(hopeless: false, at: at(0)) }
    policy.delivered(at: at(1))
    let wait = policy.roundFailed(hopeless: false, at: at(2))
    #expect(wait.seconds <= 0.75)
  }

  @Test
  func
    `a station that never played and is answered 404 has failed and is retried every thirty seconds`()
  {
    var policy = ReconnectPolicy(seed: 1)
    let wait = policy.roundFailed(hopeless: true, at: at(0))
    #expect(wait == ReconnectPolicy.Wait(seconds: 30, isFailed: true))
  }

  @Test func `a 404 just after audio is a server that starts and has not failed`() {
    var policy = ReconnectPolicy(seed: 1)
    policy.delivered(at: at(0))
    let early = policy.roundFailed(hopeless: true, at: at(29))
    let late = policy.roundFailed(hopeless: true, at: at(30))
    #expect(!early.isFailed && late.isFailed)
  }

  @Test func `a connect attempt is given up after three seconds while success is fresh`() {
    var policy = ReconnectPolicy(seed: 1)
    #expect(policy.connectTimeout(10, at: at(0)) == 10)
    policy.delivered(at: at(0))
    #expect(policy.connectTimeout(10, at: at(1)) == 3)
    #expect(policy.connectTimeout(2, at: at(1)) == 2)
    #expect(policy.connectTimeout(10, at: at(301)) == 10)
  }

  @Test func `a list of hundreds is tried no faster than a single upstream after its first dozen`()
  {
    var policy = ReconnectPolicy(seed: 1)
    var (attempts, now) = (0, 0.0)
    // Each round one of them plays for a moment.
    while now < 60 {
      policy.delivered(at: at(now), isSteady: false)
      for _ in 0..<254 {
        attempts += 1
        now += policy.attemptFailed()
      }
      now += policy.roundFailed(hopeless: false, at: at(now)).seconds
      attempts += 1
    }
    #expect(Double(attempts) < now * 2 + 13)
  }

  @Test func `a station with five URLs that lead to two each tries all of them at once`() {
    var policy = ReconnectPolicy(seed: 1)
    policy.delivered(at: at(0))
    for round in 0..<100 {
      for _ in 0..<10 { #expect(policy.attemptFailed() == 0) }
      let wait = policy.roundFailed(hopeless: false, at: at(Double(round)))
      #expect(wait.seconds <= 0.75)
    }
  }

  @Test func `an upstream that plays for a moment again and again is asked less often`() {
    var policy = ReconnectPolicy(seed: 1)
    var (rounds, now) = (0, 0.0)
    while now < 3600 {
      policy.delivered(at: at(now), isSteady: false)
      now += policy.roundFailed(hopeless: false, at: at(now)).seconds
      rounds += 1
    }
    // Five minutes and some of quick ones, then one in half a minute: for ever it would be 5,800.
    #expect(rounds < 800)
    policy.delivered(at: at(now), isSteady: true)
    #expect(policy.roundFailed(hopeless: false, at: at(now)).seconds <= 0.75)
  }
}
