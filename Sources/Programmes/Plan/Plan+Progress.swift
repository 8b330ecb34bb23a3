/// Where a programme stands, for people.
extension Plan {
  /// How far the sources of some rules are through; of several, the slowest one's cycle and the sums.
  public struct Progress: Hashable, Sendable {
    /// Counts from 1.
    public var cycle: Int64
    /// Tracks that are still to come in the cycle.
    public var left: Int
    public var total: Int
  }

  /// - Parameter part: The part whose rules hold; nil: those outside of all.
  public func progress(in part: Int?) -> Progress {
    let index = part.flatMap { programme.parts.indices.contains($0) ? $0 + 1 : nil } ?? 0
    let rules = planner.rules[index]
    var progress = Progress(cycle: .max, left: 0, total: 0)
    for source in Set(rules.wheel.sources) {
      guard let catalogue = stock.catalogues[source] else { continue }
      let one = self.progress(of: source, rules.order, catalogue)
      progress.cycle = min(progress.cycle, one.cycle)
      progress.left += one.left
      progress.total += one.total
    }
    if progress.cycle == .max { progress.cycle = 1 }
    return progress
  }

  private func progress(
    of source: Source, _ order: Order, _ catalogue: Catalogue
  ) -> Progress {
    let key = Planner.place(of: source, order)
    if order == .sequence {
      var place = state.sequences[key] ?? SequencePlace()
      place.settle(in: catalogue)
      return Progress(cycle: place.cycle, left: place.left, total: place.total)
    }
    var state = state
    planner.settle(source, order, catalogue, &state)
    let cycle = state.cycles[key] ?? Cycle()
    return Progress(cycle: cycle.number, left: cycle.left, total: cycle.total)
  }

  /// The part whose rules hold for an item that begins at a moment, and when it ends; milliseconds since 1970.
  public mutating func part(at moment: Int64) -> (part: Int, until: Int64)? {
    let moment = ProgrammeState.moment(moment)
    planner.look(at: moment)
    return planner.part(at: moment).map { ($0.part, $0.end) }
  }
}
