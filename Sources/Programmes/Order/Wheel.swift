/// From which source the next track comes: sources in turn, or each as often as its weight.
struct Wheel: Sendable {
  let sources: [Source]
  /// Index of a source for each turn; of weighted sources, for the turns of `block`.
  private var turns: [Int]
  private let weights: [Int]?
  private let seed: Int64
  private let choice: UInt64
  private var block: Int64 = 0

  init(_ choice: Choice, seed: Int64) {
    self.seed = seed
    self.choice = SipHash.of(choice.key)
    sources = choice.sources
    switch choice {
    case .wheel(let slots):
      weights = nil
      turns = slots.enumerated().flatMap { Array(repeating: $0, count: max(1, $1.count)) }
    case .play(let weighted):
      // One of each where there is one only: no turn differs from another.
      let all = weighted.count == 1 ? [1] : weighted.map { max(1, $0.weight) }
      weights = all
      turns = Shuffle(seed: seed).slots(all, choice: self.choice, cycle: 0)
    }
  }

  /// The number of turns after which each source has come.
  var count: Int { turns.count }

  /// Returns the source of a turn, counted from 0.
  mutating func source(at turn: Int64) -> Source {
    let count = Int64(turns.count)
    if let weights, weights.count > 1, turn / count != block {
      block = turn / count
      turns = Shuffle(seed: seed).slots(weights, choice: choice, cycle: block)
    }
    return sources[turns[Int(turn % count)]]
  }
}

extension Choice {
  /// A text that is the same for equal choices only.
  var key: String {
    switch self {
    case .play(let sources):
      "play " + sources.map { "\($0.weight)*\($0.source.text)" }.joined(separator: "\n")
    case .wheel(let slots):
      "wheel " + slots.map { "\($0.count)*\($0.source.text)" }.joined(separator: "\n")
    }
  }
}
