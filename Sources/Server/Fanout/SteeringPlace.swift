import Timeshift
import Wire

/// Where a listener, or a session without a connection, is in its station's log.
struct SteeringPlace {
  /// The next packet that the listener will get.
  var cursor: LogPoint
  var playPoint: MediaTime
  /// Byte that is playing; nil while an index is being fetched.
  var heard: UInt64?
  /// How far behind live the listener may go; nil for as far as the window goes.
  var reach: Reach?

  /// A packet boundary, or the live edge when `point` is nil.
  struct Target {
    var point: LogPoint?
  }

  /// Returns where steering leads. Nil while an index is being fetched; ask again. Pausing and resuming leave the place
  /// as it is.
  func target(of steering: Steering, in reader: LogReader) -> Target? {
    switch steering {
    case .pause, .resume: at(reader.point(atOrBefore: cursor.media), in: reader)
    case .rewind(let time): at(reader.point(atOrBefore: cursor.media - time), in: reader)
    case .forward(let time): at(reader.point(atOrBefore: cursor.media + time), in: reader)
    case .behind(let time):
      at(
        reader.point(atOrBefore: reader.edge.media - time + (cursor.media - playPoint)), in: reader)
    case .at(let wall): at(reader.point(at: wall), in: reader)
    case .live: Target()
    case .track(let place): heard.flatMap { track(place, from: $0, in: reader) }
    }
  }

  private func at(_ point: LogPoint?, in reader: LogReader) -> Target? {
    guard let point = point.map(reader.pastHole), let oldest = reader.oldest(within: reach) else {
      return nil
    }
    let found = point.media < oldest.media ? oldest : point
    return Target(point: reader.edge.media - found.media <= Fanout.landing ? nil : found)
  }

  private func track(
    _ place: TrackPlace, from heard: UInt64, in reader: LogReader
  ) -> Target? {
    let mark: UInt64
    switch place {
    case .start: mark = reader.titlePosition(at: heard)
    case .previous:
      let start = reader.titlePosition(at: heard)
      mark = start == .max || start == 0 ? .max : reader.titlePosition(at: start - 1)
    case .next:
      mark = reader.nextTitlePosition(after: heard)
      // Behind the last title is what is live.
      if mark == .max { return Target() }
    }
    // Before the first title is what was there before any title.
    if mark == .max || mark < reader.oldest.position { return at(reader.oldest, in: reader) }
    guard let media = reader.media(at: mark) else { return nil }
    return at(LogPoint(position: mark, media: media), in: reader)
  }

  /// Returns how a session that stands here is shown to its remote control. Nil while an index is being fetched.
  ///
  /// - Parameter isPlaced: whether the listener is paced; a live one cannot go forward.
  func snapshot(
    at station: String, _ state: SessionSnapshot.State, isPlaced: Bool, in reader: LogReader
  ) -> SessionSnapshot? {
    guard let heard, let oldest = reader.oldest(within: reach) else { return nil }
    let canForward = isPlaced && reader.edge.media - cursor.media > Fanout.landing
    let ahead = max(0, (reader.edge.media - playPoint).seconds)
    return SessionSnapshot(
      station: station, state: state, position: cursor.position, offset: ahead,
      oldest: reader.air(at: oldest.media), live: reader.air(at: reader.edge.media),
      canRewind: heard > oldest.position, canForward: canForward,
      title: reader.titleMark(at: heard),
      rewindSeconds: max(0, (playPoint - oldest.media).seconds),
      forwardSeconds: canForward ? ahead : 0)
  }
}

extension SteeringPlace {
  /// The place of a session without a connection: nothing is on its way.
  init(at point: LogPoint, within reach: Reach?) {
    self.init(cursor: point, playPoint: point.media, heard: point.position, reach: reach)
  }
}
