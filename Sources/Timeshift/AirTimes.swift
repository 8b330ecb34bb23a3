/// "The packet at `media` was on air at `wall`", from here to the next anchor.
struct Anchor: Hashable, Sendable {
  var position: UInt64
  var media: MediaTime
  var wall: WallTime
  /// Grows with every change of any anchor of the log: the storage thread writes what is newer than it has.
  var revision: UInt64
}

/// Wall time as a function of media time: anchors in order of media, real time between them.
struct AirTimes: Sendable {
  private(set) var anchors: [Anchor] = []
  private(set) var revision: UInt64 = 0

  var newest: Anchor? { anchors.last }

  /// Where an anchor stands already, it is moved.
  mutating func set(at point: LogPoint, wall: WallTime) {
    revision += 1
    let anchor = Anchor(
      position: point.position, media: point.media, wall: wall, revision: revision)
    if let same = anchors.lastIndex(where: { $0.media == point.media }) {
      anchors[same] = anchor
      return
    }
    let next = anchors.firstIndex { point.media < $0.media } ?? anchors.count
    anchors.insert(anchor, at: next)
    if anchors.count > LogConfiguration.marksMax { anchors.removeFirst() }
  }

  mutating func moveNewest(by nanoseconds: Int64) {
    guard let newest else { return }
    set(
      at: LogPoint(position: newest.position, media: newest.media),
      wall: newest.wall.adding(nanoseconds: nanoseconds))
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
    var index = anchors.count
    while index > 0 {
      index -= 1
      let anchor = anchors[index]
      if wall < anchor.wall { continue }
      let media = anchor.media + (wall - anchor.wall)
      if index + 1 < anchors.count { return min(media, anchors[index + 1].media) }
      return media
    }
    return nil
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
