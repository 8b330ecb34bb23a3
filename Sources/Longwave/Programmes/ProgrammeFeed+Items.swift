import Ingest
import Library
import Media
import Programmes
import Synchronization
import Timeshift
import Wire

/// Which item comes, and with which the log goes on after a restart.
extension ProgrammeFeed {
  /// Begins the next item. False: there is none yet, and `goOn` is called again.
  func begin(at now: Moment) -> Bool {
    if failures >= Self.failuresMax {
      failures = 0
      show(.failed, "\(Self.failuresMax) files in a row cannot be played")
      wait(Self.failureRetry)
      return false
    }
    if decided == nil, waitsForPart(at: now) {
      wait(Self.partRetry)
      return false
    }
    guard let planned = decided ?? decide(at: now) else {
      wait(Self.musicRetry)
      return false
    }
    decided = planned
    if planned.source?.station != nil {
      if beginStation(planned, at: now) { return true }
      decided = nil
      followStations(at: now)
      wait(Self.logRetry)
      return false
    }
    guard let file = shelf.file(of: planned) else {
      if planned.source == nil {
        // What was queued is away for now, and comes again when it is back.
        plan.putBack()
        decided = nil
        return true
      }
      // It is not there any more; the plan knows by now, too.
      noteGone(planned)
      decided = nil
      return true
    }
    let reader = reader(of: planned, file)
    switch reader.state {
    case .opening:
      readAhead(reader)
      return reader.isBeingMade ? waitForMade(UInt64(clamping: planned.item), file, at: now) : false
    case .failed(let failure):
      // What could not be made ahead may be made by now.
      if reader.isMade, !failure.isOfFile, triedAgain != planned.item {
        triedAgain = planned.item
        readers[planned.item] = nil
        return true
      }
      fail(file, failure)
    case .open:
      let isWanted = joins.wish?.to == planned.item
      let entry = Playing.Entry(
        steps: steps(of: planned, file), refusal: isWanted ? joins.refusal : nil)
      begin(planned, reader, entry, at: now)
    }
    return true
  }

  /// Decides on the next item, and tells what the plan says besides.
  func nextStep(at moment: Int64) -> Step {
    let step = plan.propose(at: moment)
    note(step)
    return step
  }

  func decide(at now: Moment) -> Planned? {
    let step = nextStep(at: Self.moment(now))
    if step.planned == nil, isFeeding {
      if playing == nil { noteOver() }
      show(step.waiting == .over ? .paused : .buffering, words(of: step.waiting))
    }
    return step.planned
  }

  private func words(of waiting: Step.Waiting?) -> String {
    switch waiting {
    case .over: "all was played"
    case .station: "the station that it plays does not play"
    case .empty, nil: shelf.lack
    }
  }

  func reader(of planned: Planned, _ file: MusicFile) -> ItemReader {
    let format = shelf.making(of: file)
    // The programme may have got another format meanwhile.
    if let reader = readers[planned.item], reader.file == file, reader.making == format {
      return reader
    }
    let reader = makeReader(of: file, as: format, due: planned.at)
    readers[planned.item] = reader
    return reader
  }

  /// Begins an item, at its file's first packet or by the seam that its entry has.
  func begin(_ planned: Planned, _ reader: ItemReader, _ entry: Playing.Entry, at now: Moment) {
    guard let (feed, source) = feed else { return }
    if entry.join == .cut { enter(reader, source, at: now) } else { source.join() }
    (decided, follower, readers[planned.item]) = (nil, nil, nil)
    joins.drop()
    playing = Playing(
      item: UInt64(clamping: planned.item), planned: planned, what: .file(reader),
      began: Self.moment(now), until: planned.until, entry: entry)
    noteBegun(planned, reader.file, entry, isMade: reader.isMade, at: now)
    source.format = reader.played.format
    let item = TitleItem(
      number: UInt64(clamping: planned.item), kind: planned.kind.inTitles, sample: entry.sample,
      track: planned.track?.key)
    let own = titles.title(of: reader.file, item)
    var title = own
    if planned.showsTitle {
      song = own
    } else if let song {
      // The song's title stays, while the log says what plays.
      title = song
      title.item = item
    }
    feed.markTitle(title)
    if title == own { owner.tell(.title(title, position: feed.edge.position)) }
    last = planned
    look()
    // Behind the look, so that a number that was shown is never another item's.
    memory.state = plan.state
    memory.before = memory.playing
    memory.playing = .init(
      item: item.number, reader.file, isMade: reader.isMade, steps: entry.steps,
      seamEnd: entry.seamEnd)
    owner.keep(memory)
    show(.playing, "")
  }

  /// Makes the log ready for a file's first packet that is played.
  private func enter(_ reader: ItemReader, _ source: LocalSource, at now: Moment) {
    let samples = reader.samplesOfOgg
    source.begin(behind: samples?.from ?? 0)
    source.until = samples?.to
    guard let cut = reader.cut, let first = cut.first, !cut.leadIn.isEmpty else { return }
    tellLate(feed?.feed.behind(at: now) ?? 0)
    source.lead(in: cut.leadIn, to: first.packet.count, reader.played.format, at: now)
  }

  /// Works out what comes, and opens the first of it.
  func look() {
    let now = Self.moment()
    // Of another station nobody knows when it ends.
    let isEndless = isLive && playing?.until == nil
    upcoming =
      isEndless ? [] : plan.upcoming(from: max(endsAt ?? now, now), count: Self.upcomingMax)
    let near = upcoming.prefix(Self.readersMax)
    let kept = Set(near.map(\.item) + [decided?.item, playing?.planned?.item].compactMap { $0 })
    readers = readers.filter { kept.contains($0.key) }
    // The last wish for a measure counts first.
    let waiting = playing == nil ? nil : decided
    for planned in near.reversed() + [waiting].compactMap(\.self) {
      guard let file = shelf.file(of: planned) else { continue }
      if plan.programme.rules(in: planned.part).loudness != nil { owner.hurry(file) }
      let reader = reader(of: planned, file)
      if case .opening = reader.state { readAhead(reader) }
    }
    makeAhead()
    showComing(upcoming, at: now)
  }
}

extension Planned {
  /// Whether people are shown its title.
  fileprivate var showsTitle: Bool {
    guard let rule else { return true }
    return rule.showsTitle ?? (track?.seconds ?? 0 >= InsertRule.titleShownFrom)
  }
}
