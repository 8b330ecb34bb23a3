import Wire

/// "The packet at `media` was on air at `wall`", from here to the next anchor.
struct Anchor: Hashable, Sendable {
  var position: UInt64
  var media: MediaTime
  var wall: WallTime
  /// Grows with every change of any anchor of the log: the storage thread writes what is newer than it has.
  var revision: UInt64
  /// By how much the wall clock was ahead of the monotonic one, in nanoseconds; nil: another process set it.
  var clockLead: Int64?
}

/// Wall time as a function of media time: anchors in order of media, real time between them.
struct AirTimes: Sendable {
  private(set) var anchors: [Anchor] = []
  private(set) var revision: UInt64 = 0

  var newest: Anchor? { anchors.last }

  /// Where an anchor stands already, it is moved.
  mutating func set(at point: LogPoint, wall: WallTime, clockLead: Int64? = nil) {
    revision += 1
    let anchor = Anchor(
      position: point.position, media: point.media, wall: wall, revision: revision,
      clockLead: clockLead)
    if let same = anchors.lastIndex(where: { $0.media == point.media }) {
      anchors[same] = anchor
      return
    }
    let next = anchors.firstIndex { point.media < $0.media } ?? anchors.count
    anchors.insert(anchor, at: next)
    if anchors.count > LogConfiguration.marksMax { anchors.removeFirst() }
  }

  mutating func moveNewest(by nanoseconds: Int64, clockLead: Int64) {
    guard let newest else { return }
    set(
      at: LogPoint(position: newest.position, media: newest.media),
      wall: newest.wall.adding(nanoseconds: nanoseconds), clockLead: clockLead)
  }

  /// The same for media times that are later by `shift`.
  func moved(by shift: MediaTime) -> AirTimes {
    var moved = self
    for index in anchors.indices { moved.anchors[index].media += shift }
    return moved
  }

  /// Up to `point` as here, from there on as `later` has it.
  func followed(by later: AirTimes, from point: LogPoint) -> AirTimes {
    var joined = self
    if let current = later.anchors.last(where: { $0.media <= point.media }) ?? later.anchors.first {
      joined.set(at: point, wall: later.wall(at: point.media), clockLead: current.clockLead)
    }
    for anchor in later.anchors where anchor.media > point.media {
      joined.set(
        at: LogPoint(position: anchor.position, media: anchor.media), wall: anchor.wall,
        clockLead: anchor.clockLead)
    }
    return joined
  }

  /// Forgets what no packet from `media` on needs.
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

  /// The newest media time that was on air at `wall`; in a gap, what comes right after it. nil: before everything.
  func media(at wall: WallTime) -> MediaTime? {
    media { wall.nanoseconds(since: $0.wall) }
  }

  /// The newest media time that was on air at `time`, whatever the wall clock has done since.
  ///
  /// - Parameter restoredLead: by how much the wall clock is ahead for anchors of another process.
  func media(at time: MonotonicTime, restoredLead: Int64) -> MediaTime? {
    media {
      let lead = $0.clockLead ?? restoredLead
      return WallTime(nanoseconds: time.nanoseconds.saturatingAdd(lead))
        .nanoseconds(since: $0.wall)
    }
  }

  /// `passed`: the nanoseconds since an anchor was on air.
  private func media(_ passed: (Anchor) -> Int64) -> MediaTime? {
    // Behind a stretch that a step of the clock has cut short, or in front of one that it has left out.
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
