import Glibc
import Testing

/// `deploy/simulate` sets SIMULATION_SEED, SIMULATION_SEEDS (how many) and SIMULATION_MINUTES.
@Suite struct SimulationTests {
  private static func number(_ name: String) -> Double? {
    getenv(name).flatMap { Double(String(cString: $0)) }
  }

  /// SIMULATION_TROUBLES: by name, with commas; nil: as the seed has it.
  private static var troubles: Set<Trouble>? {
    getenv("SIMULATION_TROUBLES").map {
      Set(String(cString: $0).split(separator: ",").compactMap { Trouble(rawValue: String($0)) })
    }
  }

  @Test func `a troubled station loses nothing, repeats nothing and is never stuck`() throws {
    let clock = ContinuousClock()
    let until = clock.now + .seconds(60 * (Self.number("SIMULATION_MINUTES") ?? 0.5))
    var seed = UInt64(Self.number("SIMULATION_SEED") ?? Double(UInt32.random(in: 0 ... .max)))
    let last = Self.number("SIMULATION_SEEDS").map { seed + UInt64($0) }
    var shrinking = Shrinking()
    var count = 0
    var failures: [String: Int] = [:]
    print("simulation: from seed \(seed) on")
    while clock.now < until, last.map({ seed < $0 }) ?? true {
      let plan =
        Self.troubles.map { SimulationPlan(seed: seed, seconds: 7200, troubles: $0) }
        ?? SimulationPlan(seed: seed, seconds: 7200)
      if let failure = shrinking.failure(of: plan) {
        failures[failure.kind, default: 0] += 1
        if failures[failure.kind]! <= 3 { Issue.record("\(failure)") }
      }
      count += 1
      seed += 1
    }
    print("simulation: \(count) seeds, \(shrinking.figures); \(failures)")
    #expect(count > 0)
  }
}
