import Library
import Programmes
import Synchronization
import Timeshift
import Wire

/// What the feed tells of its items.
extension ProgrammeFeed {
  /// An item that the log gets.
  struct OnAir {
    var shown: ProgrammeItem
    /// Point of its first packet.
    var start: LogPoint
    /// Whether its first packet is there, and that was told.
    var isTold = false
    /// When it began, in milliseconds since 1970; without the time that the relay was away.
    var began: Int64
    /// Media time up to which its packets are noted.
    var noted: MediaTime
    /// The other station that it is; nil: a file.
    var station: String? { shown.kind == .live ? shown.source?.station : nil }
    /// Whether the packets that were fed last are its file's own, byte for byte.
    var isOwn = false
    /// Seconds that were noted and are not counted: of its file's own packets, and of all.
    var uncounted = (own: 0.0, all: 0.0)
    /// Seconds of it in front of `start`, where it goes on after a restart.
    var secondsBefore: Double?
    /// What reports say of its file.
    var (isrc, label): (String?, String?)
    /// Whether it is left before its end.
    var isLeft = false

    init(_ shown: ProgrammeItem, of file: MusicFile?, from start: LogPoint, began: Int64) {
      (self.shown, self.start, noted) = (shown, start, start.media)
      self.began = began
      func known(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
      (isrc, label) = (known(file?.details.isrc), known(file?.details.label))
    }

    /// Seconds of it that were fed up to a media time, also before a restart.
    func seconds(to edge: MediaTime) -> Double {
      (secondsBefore ?? 0) + max(0, (edge - start.media).seconds)
    }
  }

  /// Seconds of packets that are counted at a time.
  private static let countedSeconds = 5.0

  /// Returns an item to come as it is shown.
  func shown(_ planned: Planned) -> ProgrammeItem {
    let file = shelf.file(of: planned)
    var item = ProgrammeItem(planned, file)
    item.isMade = file.flatMap { shelf.making(of: $0) } != nil
    let seconds = file.map(\.heardSeconds).flatMap { $0 > 0 ? $0 : nil } ?? 60
    let join = shelf.format.flatMap {
      plan.programme.rules(in: planned.part).join(
        in: $0, isInsert: planned.kind == .insert, isCut: false, seconds: (seconds, seconds))
    }
    item.join = join?.word ?? .cut
    return item
  }

  /// Notes that the next packet is an item's first one, and what of that is told.
  func noteBegun(
    _ planned: Planned, _ file: MusicFile?, _ entry: Playing.Entry, isMade: Bool = false,
    at now: Moment
  ) {
    guard let feed = feed?.feed else { return }
    noteOver()
    var shown = ProgrammeItem(planned, file)
    shown.at = now.wall
    (shown.join, shown.gain, shown.isMade) = (entry.join, entry.gain, isMade)
    onAir = OnAir(shown, of: file, from: feed.edge, began: Self.moment(now))
    memory.now = StoredItem(shown)
    let isOther = memory.part != planned.part
    memory.part = planned.part
    let part = showPart(at: planned.at)
    if isOther {
      owner.report(.part(part?.play ?? plan.programme.rules.choice, until: part?.until))
    }
  }

  /// Shows the part whose rules hold.
  @discardableResult
  private func showPart(at moment: Int64) -> ProgrammeSnapshot.Part? {
    let part = memory.part.map { index in
      ProgrammeSnapshot.Part(
        play: plan.programme.rules(in: index).choice,
        until: plan.part(at: moment).map { WallTime(milliseconds: $0.until) })
    }
    shown.withLock { $0.part = part }
    return part
  }

  /// When what was decided on is over, or what plays; milliseconds since 1970, nil while there is nothing.
  var endsAt: Int64? {
    if let decided { return decided.end ?? decided.at }
    guard let playing else { return nil }
    if playing.leaves != nil { return Self.moment() }
    if let until = playing.until { return until }
    let seconds = playing.seconds ?? onAir?.shown.seconds ?? 0
    if let (wish, seam) = joins.made, wish.from == playing.item, wish.place == .end {
      return playing.began + Int64(bounded: (seconds - seam.early) * 1000)
    }
    let length = playing.planned?.length ?? Int64(bounded: seconds * 1000)
    return playing.began.saturatingAdd(length)
  }

  /// Shows the items to come, and how much of them can be played at once.
  func showComing(_ upcoming: [Planned], at now: Int64) {
    // What is left by a command is over for people.
    let waiting = playing == nil || playing?.leaves != nil ? nil : decided
    let items = ([waiting].compactMap(\.self) + upcoming).map { shown($0) }
    var ahead = 0.0
    if let endsAt { ahead = Double(max(0, endsAt - now)) / 1000 }
    for planned in upcoming {
      guard case .open? = readers[planned.item]?.state else { break }
      ahead += Double(planned.length ?? 0) / 1000
    }
    shown.withLock { shown in
      (shown.now, shown.upcoming, shown.ahead) = (onAir?.shown, items, ahead)
      (shown.tracks, shown.refused) = (shelf.count, shelf.refusedCount)
    }
  }

  /// Notes that an item goes on after a restart, which began at `mark`.
  func noteResumed(
    _ item: TitleItem, _ file: MusicFile, from mark: TitleMark, began: Int64, at now: Moment
  ) {
    var shown = ProgrammeItem(item: item.number, kind: item.kind, at: mark.air)
    shown.show(file)
    if let known = memory.now?.value, known.item == item.number {
      shown = known
    } else if let known = memory.played?.first?.value, known.item == item.number {
      // Nothing of the item behind it is in the log.
      shown = known
      memory.played?.removeFirst()
    }
    shown.isMade = memory.playing?.isMade ?? false
    memory.now = StoredItem(shown)
    let start = LogPoint(position: mark.position, media: mark.media)
    var resumed = OnAir(shown, of: file, from: start, began: began)
    resumed.isTold = true
    resumed.secondsBefore = Self.seconds(before: mark, in: log.snapshot().format)
    if let edge = feed?.feed.edge.media { resumed.noted = edge }
    onAir = resumed
    tellPlay()
    showPart(at: Self.moment(now))
  }

  /// Notes that packets may have come.
  ///
  /// - Parameter isOwn: whether they are the item's file's own, byte for byte; nil: as those before.
  func noteFed(isOwn: Bool? = nil) {
    if let isOwn { onAir?.isOwn = isOwn }
    guard let edge = feed?.feed.edge, let onAir, edge.position > onAir.start.position else {
      return
    }
    if !onAir.isTold {
      self.onAir?.isTold = true
      owner.report(.started(onAir.shown, position: onAir.start.position))
      tellPlay()
      if let station = onAir.station {
        owner.report(.liveStarted(station, position: onAir.start.position))
      }
    }
    let seconds = max(0, (edge.media - onAir.noted).seconds)
    self.onAir?.noted = edge.media
    self.onAir?.uncounted.all += seconds
    if onAir.isOwn { self.onAir?.uncounted.own += seconds }
    count(least: Self.countedSeconds)
  }

  private func count(least: Double) {
    guard let (own, all) = onAir?.uncounted, all >= least, all > 0 else { return }
    onAir?.uncounted = (0, 0)
    tellPlay()
    memory.passed = memory.passed ?? PassedAudio()
    memory.passed?.add(own: own, of: all, at: Self.moment())
    if own > 0 { owner.report(.passedThrough(own)) }
    if onAir?.shown.isMade == true { owner.report(.made(all - own)) }
  }

  /// Notes that the item is over: what it was is kept.
  func noteOver() {
    noteFed()
    count(least: 0)
    tellPlay(isWhole: onAir?.isLeft == false)
    if let onAir, onAir.isTold, let station = onAir.station {
      owner.report(.liveStopped(station, seconds: onAir.seconds(to: onAir.noted)))
    }
    if let last = onAir.map({ StoredItem($0.shown) }) ?? memory.now, onAir?.isTold ?? true {
      memory.played = ([last] + (memory.played ?? [])).prefix(Self.playedMax).map { $0 }
    }
    (onAir, memory.now) = (nil, nil)
  }

  /// Tells of an item that cannot be played, or not to its end.
  func noteFailed(_ file: MusicFile, _ failure: ItemFailure, isTold: Bool) {
    noteFed()
    var loss = ItemLoss(
      item: playing?.item ?? UInt64(clamping: decided?.item ?? 0), track: file.key,
      title: file.title, reason: failure.reason, path: file.shownPath, isTold: isTold)
    if playing != nil, let onAir, let edge = feed?.feed.edge {
      loss.seconds = onAir.seconds(to: edge.media)
    }
    owner.report(.failed(loss))
  }

  /// Tells what a step of the plan says besides its item.
  func note(_ step: Step) {
    for missed in step.missed {
      owner.report(
        .missed(missed.rule, due: WallTime(milliseconds: missed.due), missed.reason))
    }
    if let time = step.unlisted {
      owner.tellUnlisted(
        WallTime(milliseconds: time.lowerBound)..<WallTime(milliseconds: time.upperBound))
    }
    for item in step.gone {
      owner.report(
        .failed(
          ItemLoss(item: UInt64(clamping: item), reason: "its track is not there any more")))
    }
    for item in step.away where awayItems.insert(item).inserted {
      owner.report(
        .failed(
          ItemLoss(
            item: UInt64(clamping: item),
            reason: "its file is away: it stays in the queue until it is back, or is taken out")))
    }
    // Where nothing else plays, the station's state says so.
    guard step.planned != nil else { return }
    for source in step.passedOver
    where shelf.stock.catalogues[source] != nil && emptySources.insert(source).inserted {
      owner.tellEmpty(source)
    }
  }

  /// Notes that an item's file is gone, though it was planned.
  func noteGone(_ planned: Planned) {
    owner.report(
      .failed(
        ItemLoss(
          item: UInt64(clamping: planned.item), track: planned.track?.key,
          reason: "its file is not there any more")))
  }

  /// Tells that other music is there, unless it is only known now.
  func noteMusic(after before: MusicShelf) {
    emptySources = emptySources.filter { shelf.stock.catalogues[$0]?.isEmpty ?? true }
    guard before.isWhole, shelf.isWhole, before.fingerprint != shelf.fingerprint else { return }
    owner.report(.changed(by: .library, tracks: shelf.count))
  }
}

extension ProgrammeItem {
  /// - Parameter file: nil where it is not known.
  init(_ planned: Planned, _ file: MusicFile?) {
    self.init(planned)
    if let file { show(file) }
  }

  mutating func show(_ file: MusicFile) {
    func known(_ text: String) -> String? { text.isEmpty ? nil : text }
    (track, title) = (file.key, known(file.title))
    (artist, album) = (known(file.artist), known(file.album))
  }
}
