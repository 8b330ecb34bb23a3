import Wire

/// States that the packet at `media` was on air at `wall`; counts up to the next anchor.
struct Anchor: Hashable, Sendable {
  var position: UInt64
  var media: MediaTime
  var wall: WallTime
  /// Grows with every change of any anchor of the log. The storage thread writes anchors newer than the last it wrote.
  var revision: UInt64
  /// How far the wall clock was ahead of the monotonic one, in nanoseconds.
  ///
  /// For another process's anchor: what that clock's lead would have been by this process's clock (`resume`).
  var clockLead: Int64 = 0
  /// The moment of `wall` by the machine's own clock; nil if the writing process did not store it.
  var boot: BootTime?
}

/// Wall time as a function of media time: anchors in order of media time, real time between them.
struct AirTimes: Sendable {
  private(set) var anchors: [Anchor] = []
  private(set) var revision: UInt64 = 0
  /// The id of the machine's current start; nil if unknown.
  var boot: BootID?

  var newest: Anchor? { anchors.last }

  /// Sets an anchor; replaces one at the same media time.
  mutating func set(at point: LogPoint, wall: WallTime, by clocks: Moment) {
    let passed = clocks.wall.nanoseconds(since: wall)
    set(
      at: point, wall: wall, clockLead: clocks.clockLead,
      boot: BootTime(id: boot, time: clocks.sinceBoot.adding(nanoseconds: -passed)))
  }

  mutating func set(
    at point: LogPoint, wall: WallTime, clockLead: Int64 = 0, boot: BootTime? = nil
  ) {
    revision += 1
    let anchor = Anchor(
      position: point.position, media: point.media, wall: wall, revision: revision,
      clockLead: clockLead, boot: boot)
    if let same = anchors.lastIndex(where: { $0.media == point.media }) {
      anchors[same] = anchor
      return
    }
    let next = anchors.firstIndex { point.media < $0.media } ?? anchors.count
    anchors.insert(anchor, at: next)
    if anchors.count > LogConfiguration.marksMax { anchors.removeFirst() }
  }

  mutating func moveNewest(by nanoseconds: Int64, at now: Moment) {
    guard let newest else { return }
    set(
      at: LogPoint(position: newest.position, media: newest.media),
      wall: newest.wall.adding(nanoseconds: nanoseconds), by: now)
  }

  /// The same times for media times that are later by `shift`.
  func moved(by shift: MediaTime) -> AirTimes {
    var moved = self
    for index in anchors.indices { moved.anchors[index].media += shift }
    return moved
  }

  /// Up to `point` the times of this, from there on those of `later`.
  func followed(by later: AirTimes, from point: LogPoint) -> AirTimes {
    var joined = self
    joined.boot = later.boot
    if let current = later.anchors.last(where: { $0.media <= point.media }) ?? later.anchors.first {
      let distance = (point.media - current.media).nanoseconds
      joined.set(
        at: point, wall: later.wall(at: point.media), clockLead: current.clockLead,
        boot: current.boot?.adding(nanoseconds: distance))
    }
    for anchor in later.anchors where anchor.media > point.media {
      joined.set(
        at: LogPoint(position: anchor.position, media: anchor.media), wall: anchor.wall,
        clockLead: anchor.clockLead, boot: anchor.boot)
    }
    return joined
  }

  /// These times with those of `earlier` before them.
  func preceded(by earlier: AirTimes) -> AirTimes {
    guard let first = anchors.first else { return earlier }
    var joined = self
    let before = earlier.anchors.prefix { $0.media < first.media }.map { anchor in
      var anchor = anchor
      // Revision 0: anchors that come from the disk are there already.
      anchor.revision = 0
      anchor.clockLead = first.clockLead
      if let aired = anchor.boot, let last = first.boot, aired.id == last.id {
        // The wall clock may have been set between the two anchors.
        anchor.clockLead = anchor.clockLead
          .saturatingAdd(anchor.wall.nanoseconds(since: first.wall))
          .saturatingSubtract(aired.time.nanoseconds(since: last.time))
      }
      return anchor
    }
    joined.anchors.insert(contentsOf: before, at: 0)
    return joined
  }

  /// Forgets the anchors that no packet from `media` on needs.
  mutating func forget(before media: MediaTime) {
    var gone = 0
    while gone + 1 < anchors.count && anchors[gone + 1].media <= media { gone += 1 }
    if gone > 0 { anchors.removeFirst(gone) }
  }

  func wall(at media: MediaTime) -> WallTime {
    guard var anchor = anchors.first else { return .epoch }
    if let index = lastIndex(atOrBefore: media) { anchor = anchors[index] }
    return anchor.wall + (media - anchor.media)
  }

  /// The wall time at `media` as today's wall clock would have shown it. The clock may have been set since.
  func wall(at media: MediaTime, by now: Moment) -> WallTime {
    guard let anchor = lastIndex(atOrBefore: media).map({ anchors[$0] }) ?? anchors.first,
      let boot = anchor.boot
    else { return wall(at: media) }
    return now.wall.adding(nanoseconds: -now.sinceBoot.nanoseconds(since: boot.time))
      + (media - anchor.media)
  }

  /// The newest media time that was on air at `wall`; in a gap, the time right after it. Nil before the first anchor.
  func media(at wall: WallTime) -> MediaTime? {
    media { wall.nanoseconds(since: $0.wall) }
  }

  /// The newest media time that was on air at `time`, however the wall clock was set since.
  func media(at time: MonotonicTime) -> MediaTime? {
    media {
      WallTime(nanoseconds: time.nanoseconds.saturatingAdd($0.clockLead))
        .nanoseconds(since: $0.wall)
    }
  }

  /// The newest media time by a clock. `passed` returns the nanoseconds since an anchor was on air.
  private func media(_ passed: (Anchor) -> Int64) -> MediaTime? {
    // Used behind a stretch that a clock step cut short, and in front of one that it left out.
    var clamped: MediaTime?
    var index = anchors.count
    while index > 0 {
      index -= 1
      let anchor = anchors[index]
      let nanoseconds = passed(anchor)
      if nanoseconds < 0 { continue }
      let media = anchor.media + MediaTime(nanoseconds: nanoseconds)
      guard index + 1 < anchors.count, media > anchors[index + 1].media else { return media }
      clamped = clamped ?? anchors[index + 1].media
    }
    return clamped
  }

  private func lastIndex(atOrBefore media: MediaTime) -> Int? {
    var low = 0
    var high = anchors.count
    while low < high {
      let middle = (low + high) / 2
      if anchors[middle].media <= media { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }
}

// Air times across the end of a process.
extension AirTimes {
  /// How long ago the log's end was on air; nil for a log without anchors.
  ///
  /// Since the same start of the machine, its own clock tells, however the wall clock was set. Otherwise only the wall
  /// clock is left. It is not believed if it has gone back, or beyond all reason. How long the machine has run proves
  /// nothing: a folder may have come from another machine.
  func away(since end: MediaTime, at now: Moment) -> TimeAway? {
    guard let newest else { return nil }
    let distance = (end - newest.media).nanoseconds
    let aired = newest.boot?.adding(nanoseconds: distance)
    if let seconds = TimeAway.steady(since: aired, at: now, on: boot) { return .exactly(seconds) }
    let seconds = now.wall.seconds(since: newest.wall.adding(nanoseconds: distance))
    if let seconds = TimeAway.believed(seconds) { return .exactly(seconds) }
    let isOther = aired != nil && boot != nil && aired?.id != boot
    return .atLeast(isOther ? max(0, Double(now.sinceBoot.nanoseconds) / 1e9) : 0)
  }

  /// Moves another process's anchors, up to the log's end at `end`, to this process's clock.
  ///
  /// If the time away is unknown, a delayed reader goes on where it was.
  mutating func resume(since end: MediaTime, at now: Moment) {
    guard let newest, let away = away(since: end, at: now) else { return }
    var wall = wall(at: end)
    if case .exactly(let seconds) = away { wall = wall.adding(seconds: seconds) }
    let lead = Moment(wall: wall, monotonic: now.monotonic).clockLead
    for index in anchors.indices {
      var own = lead
      if let aired = anchors[index].boot, aired.id == newest.boot?.id, let last = newest.boot {
        // The wall clock may have been set between the two anchors.
        own = own.saturatingAdd(anchors[index].wall.nanoseconds(since: newest.wall))
          .saturatingSubtract(aired.time.nanoseconds(since: last.time))
      }
      anchors[index].clockLead = own
    }
  }
}
