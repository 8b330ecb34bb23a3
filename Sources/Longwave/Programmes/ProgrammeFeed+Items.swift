import Ingest
import Library
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
    guard let planned = decided ?? decide(at: now) else {
      wait(Self.musicRetry)
      return false
    }
    decided = planned
    guard let file = shelf.file(of: planned) else {
      // It is not there any more; the plan knows by now, too.
      decided = nil
      return true
    }
    let reader = reader(of: planned, file)
    switch reader.state {
    case .opening:
      readAhead(reader)
      return false
    case .failed(let failure): fail(file, failure)
    case .open: begin(planned, reader, at: now)
    }
    return true
  }

  private func decide(at now: Moment) -> Planned? {
    let step = plan.next(at: Self.moment(now))
    if step.planned == nil {
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

  private func reader(of planned: Planned, _ file: MusicFile) -> ItemReader {
    if let reader = readers[planned.item], reader.file == file { return reader }
    let reader = ItemReader(file, turns)
    readers[planned.item] = reader
    return reader
  }

  private func begin(_ planned: Planned, _ reader: ItemReader, at now: Moment) {
    guard let (feed, source) = feed else { return }
    decided = nil
    playing = Playing(
      item: UInt64(clamping: planned.item), planned: planned, reader: reader,
      began: Self.moment(now), until: planned.until)
    source.begin()
    source.format = shelf.format
    let item = TitleItem(
      number: UInt64(clamping: planned.item), kind: planned.kind.inTitles,
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
    memory.state = plan.state
    memory.playing = .init(item: item.number, reader.file)
    owner.keep(memory)
    look()
    show(.playing, "")
  }

  /// Works out what comes, and opens the first of it.
  func look() {
    let length = playing?.planned?.length ?? 0
    let end = playing.map { $0.until ?? ($0.began + length) } ?? Self.moment()
    let upcoming = plan.upcoming(from: max(end, Self.moment()), count: Self.upcomingMax)
    let near = upcoming.prefix(Self.readersMax)
    let kept = Set(near.map(\.item) + [decided?.item, playing?.planned?.item].compactMap { $0 })
    readers = readers.filter { kept.contains($0.key) }
    for planned in near {
      guard let file = shelf.file(of: planned) else { continue }
      let reader = reader(of: planned, file)
      if case .opening = reader.state { readAhead(reader) }
    }
    shown.withLock { $0.upcoming = upcoming }
  }

  // MARK: A restart

  /// Takes the station's log, and goes on with the item that the log ends with.
  func beginFeeding(at now: Moment) -> Bool {
    guard let writer = log.writer() else { return false }
    let feed = Feed(writer, lead: Self.leadSeconds)
    let source = LocalSource(feed, readsTitles: false)
    self.feed = (feed, source)
    let own = log.snapshot()
    guard own.edge.position > own.oldest.position else { return true }
    let away = now.wall.seconds(since: own.edgeAir)
    if away > 0.25 { mark(away, .restart, feed) }
    if away <= plan.programme.resume { resume(own, source, at: now) }
    return true
  }

  private func resume(_ own: LogSnapshot, _ source: LocalSource, at now: Moment) {
    guard let mark = own.title, var item = mark.title.item, let format = own.format,
      let last = memory.playing, last.item == item.number,
      let file = last.file(in: format, mark.title)
    else { return }
    let heard = (own.edge.media - mark.media).samples(rate: format.sampleRate)
    item.sample = item.sample.saturatingAdd(UInt64(max(0, heard)))
    source.begin(behind: item.sample)
    source.format = format
    var title = mark.title
    title.item = item
    feed?.feed.markTitle(title)
    song = title
    let played = Double(item.sample) / Double(max(1, format.sampleRate))
    let began = Self.moment(now) - Int64(bounded: played * 1000)
    playing = Playing(
      item: item.number, planned: nil, reader: ItemReader(file, turns), began: began,
      until: plan.cut(since: began, at: Self.moment(now)))
    show(.playing, "")
  }
}

extension Planned {
  /// Whether people are shown its title.
  fileprivate var showsTitle: Bool {
    guard let rule else { return true }
    return rule.showsTitle ?? (track?.seconds ?? 0 >= InsertRule.titleShownFrom)
  }
}

extension Planned.Kind {
  fileprivate var inTitles: TitleItem.Kind {
    switch self {
    case .track: .track
    case .insert: .insert
    case .live: .live
    }
  }
}
