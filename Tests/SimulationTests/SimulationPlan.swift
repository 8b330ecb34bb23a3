/// A simulation: what it is made of follows from this alone.
struct SimulationPlan: Hashable, Sendable, CustomStringConvertible {
  var seed: UInt64
  var seconds: Double
  var troubles: Set<Trouble>

  /// The troubles of a seed: some of them, so that each is seen alone as well.
  init(seed: UInt64, seconds: Double) {
    self.seed = seed
    self.seconds = seconds
    var random = SimulationRandom(seed: seed, of: "troubles")
    let share = [0.15, 0.3, 0.6][Int.random(in: 0..<3, using: &random)]
    troubles = Set(
      Trouble.allCases.filter { _ in Double.random(in: 0..<1, using: &random) < share })
  }

  init(seed: UInt64, seconds: Double, troubles: Set<Trouble>) {
    (self.seed, self.seconds, self.troubles) = (seed, seconds, troubles)
  }

  /// Of a slow line nobody can tell how long its burst is; and without a clock nobody knows how much of it was heard.
  var mayRepeatOtherEncodings: Bool {
    troubles.contains(.slowLines) || troubles.isSuperset(of: [.setClocks, .powerLosses])
  }

  var description: String {
    let names = troubles.map(\.rawValue).sorted().joined(separator: ",")
    return "seed \(seed), \(Int(seconds)) s, \(names.isEmpty ? "no troubles" : names)"
  }
}
