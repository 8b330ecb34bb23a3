import Library
import Media
import Programmes
import Synchronization
import Threads
import Timeshift
import Wire

/// What people do to a programme that plays.
extension ProgrammeFeed {
  /// Why a command was not carried out.
  enum Refusal: Error, Sendable {
    case nothingToPlay(String)
    case unknownItem(Int64)
    case unknownTrack(String)
    case trackRefused(String, reason: String)
    case queueFull
  }

  /// Carries a command out.
  ///
  /// - Returns: whether another item is on air.
  func perform(_ command: ProgrammeCommand) async throws(Refusal) -> Bool {
    switch command {
    case .next: try leave { next() }
    case .previous:
      let left = playing
      guard previous() else { throw .nothingToPlay("nothing was played before") }
      if let left, memory.playing?.item == left.item { memory.playing?.isLeft = true }
    case .skip(let item):
      let isLeft = playing.map { $0.leaves != nil } ?? true
      if item == decided?.item, !isLeft {
        // It has not begun, unless its seam goes out.
        guard playing?.exit == nil else { throw .unknownItem(item) }
        forgetJoin()
        decided = nil
        changed()
        return false
      }
      if isLeft ? item == decided?.item : UInt64(clamping: item) == playing?.item {
        try leave { next() }
        break
      }
      guard plan.skip(item: item) else { throw .unknownItem(item) }
      changed()
      return false
    case .queue(let tracks, let place):
      // Very many files are not looked at here, where all programmes are fed.
      let entries = try await Blocking.run { [shelf] () throws(Refusal) in
        try shelf.entries(of: tracks, place)
      }
      do throws(Plan.Refusal) {
        try plan.queue(entries, isNext: place == .next)
      } catch {
        throw .queueFull
      }
      changed()
      return false
    case .unqueue(let items):
      guard plan.unqueue(items) > 0 else { throw .unknownItem(items.min() ?? 0) }
      changed()
      return false
    case .clear:
      plan.clear()
      changed()
      return false
    case .reshuffle:
      plan.reshuffle()
      changed()
      return false
    }
    changed()
    return true
  }

  private func leave(_ next: () -> Bool) throws(Refusal) {
    let left = playing
    if next() {
      // What comes may have begun by now.
      if let left, memory.playing?.item == left.item { memory.playing?.isLeft = true }
      return
    }
    let reason = shown.withLock(\.reason)
    throw .nothingToPlay(reason.isEmpty ? "it has not begun" : reason)
  }

  /// Shows what a command has made of the items to come, and keeps it.
  private func changed() {
    look()
    memory.state = keptState
    goOn()
  }

  /// Other rules hold from the next item on, as a command says.
  func use(_ programme: Programme, changed rules: String?) {
    memory.rules = rules
    use(programme, in: plan.zone)
    memory.state = keptState
    owner.report(.changed(by: .command, tracks: shelf.count))
  }

  // MARK: What is shown

  /// What there is to show of a programme, and to work out from it.
  struct View: Sendable {
    var report: Report
    var plan: Plan
    var shelf: MusicShelf
    /// When what plays is over, or what was decided on; milliseconds since 1970.
    var end: Int64
    /// Whose rules hold; nil: those outside of all parts.
    var part: Int?
    /// The newest first.
    var played: [ProgrammeItem]
    var passThrough: Double?
  }

  func view() -> View {
    var report = shown.withLock { $0 }
    let now = Self.moment()
    if let onAir, playing?.leaves == nil || decided == nil {
      report.now = onAir.shown
      report.now?.position = onAir.seconds(at: now)
    } else if let decided {
      report.now = shown(decided)
      report.now?.position = 0
      report.now?.readiness = readiness(of: decided.item)
      report.joinRefusal = nil
    } else {
      (report.now, report.joinRefusal) = (nil, nil)
    }
    for index in report.upcoming.indices {
      let item = Int64(clamping: report.upcoming[index].item)
      report.upcoming[index].readiness = readiness(of: item)
    }
    var passed = memory.passed ?? PassedAudio()
    if let (own, all) = onAir?.uncounted { passed.add(own: own, of: all, at: now) }
    return View(
      report: report, plan: plan, shelf: shelf, end: max(now, endsAt ?? now), part: memory.part,
      played: (memory.played ?? []).compactMap(\.value),
      passThrough: passed.share(at: now))
  }

  private func readiness(of item: Int64) -> ProgrammeItem.Readiness {
    switch readers[item]?.state {
    case .open: .ready
    case .failed: .failed
    case .opening, nil: .preparing
    }
  }

  /// How far the programme has come, to be kept.
  var kept: ProgrammeMemory { memory }
}

extension ProgrammeFeed.OnAir {
  /// Seconds of it that were played at a moment, in milliseconds since 1970.
  fileprivate func seconds(at now: Int64) -> Double {
    let seconds = Double(now.saturatingSubtract(began)) / 1000
    return max(0, min(shown.seconds ?? seconds, seconds))
  }
}
