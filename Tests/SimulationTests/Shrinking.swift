/// Finds the least that still goes wrong in the same way.
struct Shrinking {
  struct Failure: CustomStringConvertible {
    var plan: SimulationPlan
    var shrunk: SimulationPlan
    var violation: Violation
    var kind: String { violation.kind }
    var description: String { "seed \(plan.seed): \(violation) (\(shrunk))" }
  }

  /// Of all plans that were played, those of shrinking left out.
  private(set) var figures = Simulation.Figures()

  mutating func failure(of plan: SimulationPlan) -> Failure? {
    let first = Simulation(plan)
    let violation = Self.violation(of: first)
    figures.add(first.figures)
    guard var found = violation else { return nil }
    var shrunk = plan
    // Who looks at one seed wants to see it alone.
    if Trace.isOn { return Failure(plan: plan, shrunk: plan, violation: found) }
    for trouble in plan.troubles.sorted(by: { $0.rawValue < $1.rawValue }) {
      var fewer = shrunk
      fewer.troubles.remove(trouble)
      fewer.seconds = min(fewer.seconds, max(600, 2 * (found.at - Simulation.warmUp)))
      guard let again = Self.violation(of: Simulation(fewer)), again.kind == found.kind else {
        continue
      }
      (shrunk, found) = (fewer, again)
    }
    return Failure(plan: plan, shrunk: shrunk, violation: found)
  }

  private static func violation(of simulation: Simulation) -> Violation? {
    do {
      try simulation.run()
      return nil
    } catch let violation as Violation {
      return violation
    } catch {
      return Violation(kind: "error", text: "\(error)", at: 0)
    }
  }
}
