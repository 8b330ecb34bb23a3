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

  @Test func `whatever befalls a station, nothing is lost, heard twice or stuck`() throws {
    let clock = ContinuousClock()
    let until = clock.now + .seconds(60 * (Self.number("SIMULATION_MINUTES") ?? 0.5))
    var seed = UInt64(Self.number("SIMULATION_SEED") ?? Double(UInt32.random(in: 0 ... .max)))
    let last = Self.number("SIMULATION_SEEDS").map { seed + UInt64($0) }
    var total = 0.0
    var count = 0
    var failures: [String: Int] = [:]
    print("simulation: from seed \(seed) on")
    while clock.now < until, last.map({ seed < $0 }) ?? true {
      let plan =
        Self.troubles.map { SimulationPlan(seed: seed, seconds: 7200, troubles: $0) }
        ?? SimulationPlan(seed: seed, seconds: 7200)
      if let failure = Shrinking.failure(of: plan, until: until) {
        failures[failure.kind, default: 0] += 1
        if failures[failure.kind]! <= 3 { Issue.record("\(failure)") }
      }
      total += plan.seconds
      count += 1
      seed += 1
    }
    print(
      "simulation: \(count) seeds, \(Int(total / 3600)) hours of a station, "
        + "\((total / 31_557_600 * 1000).rounded() / 1000) years; \(failures)")
    #expect(count > 0)
  }
}

/// Finds the least that still goes wrong in the same way.
enum Shrinking {
  struct Failure: CustomStringConvertible {
    var plan: SimulationPlan
    var shrunk: SimulationPlan
    var violation: Violation
    var kind: String { violation.kind }
    var description: String { "seed \(plan.seed): \(violation) (\(shrunk))" }
  }

  static func violation(of plan: SimulationPlan) -> Violation? {
    do {
      _ = try Simulation(plan).run()
      return nil
    } catch let violation as Violation {
      return violation
    } catch {
      return Violation(kind: "error", text: "\(error)", at: 0)
    }
  }

  static func failure(
    of plan: SimulationPlan, until: ContinuousClock.Instant
  ) -> Failure? {
    guard var found = violation(of: plan) else { return nil }
    var shrunk = plan
    for trouble in plan.troubles.sorted(by: { $0.rawValue < $1.rawValue }) {
      var fewer = shrunk
      fewer.troubles.remove(trouble)
      fewer.seconds = min(fewer.seconds, max(600, 2 * (found.at - 2000)))
      guard let again = violation(of: fewer), again.kind == found.kind else { continue }
      (shrunk, found) = (fewer, again)
    }
    return Failure(plan: plan, shrunk: shrunk, violation: found)
  }
}
