import Wire

/// What a programme plays: rules, music, zone and state in, items out. No clock, no file, no random source but the seed.
///
/// Whoever plays it calls `next` at each border between two items, with the moment of that border. `upcoming` is `next` on
/// a copy; what it has shown is what `next` answers, unless something was changed since.
public struct Plan: Sendable {
  /// A step that was decided ahead, and the state behind it.
  struct Ahead: Sendable {
    var step: Step
    var state: ProgrammeState
  }

  public private(set) var programme: Programme
  public private(set) var zone: ZoneOffsets
  public private(set) var state: ProgrammeState
  var planner: Planner
  private var ahead: [Ahead] = []
  /// What was decided ahead before something changed: items that are decided on anew keep their numbers by it.
  private var former: [Planned] = []
  /// The item that was proposed last, and the state without it; nil where none was.
  private var proposed: (planned: Planned, without: ProgrammeState)?

  /// An item that begins so many milliseconds beside its time is still the one that was shown.
  static let tolerance: Int64 = 2000
  public static let upcomingMax = 50

  public init(_ programme: Programme, _ stock: Stock, in zone: ZoneOffsets, state: ProgrammeState) {
    (self.programme, self.zone, self.state) = (programme, zone, state)
    planner = Planner(programme, stock, in: zone, seed: programme.seed ?? state.seed)
    forgetOthers()
  }

  public var stock: Stock { planner.stock }

  // MARK: Items

  /// Decides on the item that begins at a moment, in milliseconds since 1970, and counts it as played.
  public mutating func next(at moment: Int64) -> Step {
    proposed = nil
    let moment = ProgrammeState.moment(moment)
    if let first = timely(moment) {
      ahead.removeFirst()
      let item = state.item
      state = first.state
      state.item = max(item, state.item)
      var step = first.step
      step.at = moment
      step.planned?.at = moment
      return step
    }
    reset()
    let pin = pin
    var step = planner.advance(&state, at: moment, pin: pin)
    number(&step)
    return step
  }

  /// Does what `next` does, for an item that may be put back as long as it has not begun.
  public mutating func propose(at moment: Int64) -> Step {
    var without = state
    let shown = timely(ProgrammeState.moment(moment))?.step.at
    let step = next(at: moment)
    guard let planned = step.planned else { return step }
    // What the step has told besides is not told again.
    var told = Step(at: shown ?? step.at)
    _ = planner.arrive(&without, at: told.at, &told)
    without.queue.removeAll { step.gone.contains($0.item) }
    proposed = (planned, without)
    return step
  }

  /// The state as it would be if the item that was proposed last were put back.
  public var stateWithoutProposed: ProgrammeState {
    var without = proposed?.without ?? state
    without.item = state.item
    return without
  }

  /// Puts the item back that was proposed last: it comes again, unless something else comes first now.
  public mutating func putBack() {
    guard let planned = proposed?.planned else { return }
    let coming = ahead.isEmpty ? former : ahead.compactMap(\.step.planned)
    state = stateWithoutProposed
    (ahead, former, proposed) = ([], [planned] + coming, nil)
  }

  /// Returns the items to come if the first of them begins at a moment, in milliseconds since 1970.
  ///
  /// There are fewer where nothing can be played, or where it is not known when another station ends.
  public mutating func upcoming(from moment: Int64, count: Int = 10) -> [Planned] {
    let moment = ProgrammeState.moment(moment)
    if timely(moment) == nil { reset() }
    let pin = pin
    while ahead.count < min(count, Self.upcomingMax) {
      guard let start = ahead.isEmpty ? moment : ahead.last?.step.planned?.end else { break }
      var copy = ahead.last?.state ?? state
      copy.item = state.item
      var step = planner.advance(&copy, at: start, pin: ahead.isEmpty ? pin : nil)
      state.item = copy.item
      number(&step)
      ahead.append(Ahead(step: step, state: copy))
    }
    former = []
    return Array(ahead.compactMap(\.step.planned).prefix(max(0, count)))
  }

  /// When something cuts an item that began at `since`, from `moment` on: after a restart, a step of the clock or an
  /// edit, and now and then while another station is played. Milliseconds since 1970; nil: nothing before its end.
  ///
  /// - Parameter end: when the item is over by itself; nil: not known.
  public mutating func cut(
    since: Int64, at moment: Int64, end: Int64? = nil, isEndless: Bool = false
  ) -> Int64? {
    let moment = ProgrammeState.moment(moment)
    planner.look(at: moment)
    let cut = planner.firstCut(
      since: ProgrammeState.moment(since), at: moment, isEndless: isEndless, state)
    guard let cut, let end else { return cut }
    return cut < end ? cut : nil
  }

  /// Whether a part is on of whose sources nothing is known yet.
  public mutating func awaitsPart(at moment: Int64) -> Bool {
    guard let (part, _) = part(at: moment) else { return false }
    return planner.rules[part + 1].wheel.sources.allSatisfy {
      $0.station == nil && !stock.knows($0)
    }
  }

  /// The clock was set to a moment: what lies before that moment is to come again.
  public mutating func settle(at moment: Int64) {
    let moment = ProgrammeState.moment(moment)
    change { state, planner in planner.settle(&state, at: moment) }
  }

  /// How a station that plays now takes over; nil: it does not.
  public mutating func onset(of station: String, at moment: Int64) -> Onset? {
    if let live = programme.live, live.station == station { return live.onset }
    let moment = ProgrammeState.moment(moment)
    planner.look(at: moment)
    guard let part = planner.part(at: moment)?.part, planner.rules[part + 1].station == station
    else { return nil }
    return programme.parts[part].onset
  }

  /// Gives a number to an item: the one it was shown with, if it was.
  private mutating func number(_ step: inout Step) {
    guard let planned = step.planned, planned.item == 0 else { return }
    // What is queued has had its number since then.
    let same = former.firstIndex { $0.why != .queue && $0.isSame(as: planned) }
    step.planned?.item = same.map { former.remove(at: $0).item } ?? state.number()
  }

  /// The track of the order that was shown as the next one.
  private var pin: Planner.Pin? {
    guard let next = former.first(where: { [.order, .part, .skip].contains($0.why) }),
      let source = next.source, let track = next.track
    else { return nil }
    let order = programme.rules(in: next.part).order ?? .sequence
    return Planner.Pin(place: Planner.place(of: source, order), fingerprint: track.fingerprint)
  }

  /// What was decided ahead for a border at a moment.
  private func timely(_ moment: Int64) -> Ahead? {
    ahead.first.flatMap { abs($0.step.at - moment) <= Self.tolerance ? $0 : nil }
  }

  /// Decides anew on what was decided ahead.
  private mutating func reset() {
    guard !ahead.isEmpty else { return }
    former = ahead.compactMap(\.step.planned)
    ahead = []
  }

  // MARK: Changes

  /// Other rules hold from the next item on.
  ///
  /// - Parameter zone: nil: as it is.
  public mutating func use(_ programme: Programme, in zone: ZoneOffsets? = nil) {
    self.programme = programme
    self.zone = zone ?? self.zone
    planner = Planner(programme, stock, in: self.zone, seed: programme.seed ?? state.seed)
    reset()
    forgetOthers()
  }

  /// Forgets what is known of rules and sources that are gone.
  private mutating func forgetOthers() {
    let (sources, marks) = (programme.sources, Set(planner.inserts.map(\.mark)))
    let choices = Set(planner.rules.map(\.choice))
    state.keep(placesOf: sources, marks: marks, choices: choices)
    proposed?.without.keep(placesOf: sources, marks: marks, choices: choices)
  }

  /// Other music is there from the next item on.
  public mutating func use(_ stock: Stock) {
    planner.stock = stock
    reset()
  }

  /// Changes the state by a command; what was decided ahead is decided anew. It holds where an item is put back, too.
  mutating func change<Answer>(_ body: (inout ProgrammeState, inout Planner) -> Answer) -> Answer {
    reset()
    if let planned = proposed?.planned, var without = proposed?.without {
      proposed = nil
      // So that both give equal numbers.
      without.item = state.item
      _ = body(&without, &planner)
      proposed = (planned, without)
    }
    return body(&state, &planner)
  }

  /// Forgets what was shown: nothing of it is next any more.
  mutating func forget() { (ahead, former) = ([], []) }

  /// Takes an item that was shown out of what was shown.
  mutating func withdraw(_ item: Int64) -> Planned? {
    former.firstIndex { $0.item == item }.map { former.remove(at: $0) }
  }
}

extension Planned {
  /// Whether both are the same item, decided on twice.
  fileprivate func isSame(as other: Planned) -> Bool {
    kind == other.kind && source == other.source && track?.key == other.track?.key
      && rule == other.rule && due == other.due
  }
}
