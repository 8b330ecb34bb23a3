import Timeshift
import Wire

/// Where a newcomer begins, and how it is paced from there.
struct Placement {
  var start: LogPoint
  /// The burst as far as there is one: an offset below the burst shortens it.
  var burst: MediaTime
  var isPlaced: Bool
  /// Live edge less first byte, media seconds.
  var offset: Double

  /// Returns where a newcomer begins. Nil while an index is being fetched; ask again.
  ///
  /// - Parameter reach: how far back a newcomer gets at most.
  static func find(
    _ place: StreamRequest.Place, burst: MediaTime, in reader: LogReader, within reach: Reach? = nil
  ) -> Placement? {
    let found = findAny(place, burst, reader)
    guard let reach, let found, found.isPlaced,
      reader.edge.media - found.start.media > reach.offset
    else { return found }
    return at(reader.oldest(within: reach), burst, true, reader)
  }

  /// The longest part of the past that a relay is sent besides its burst: as long as the longest burst.
  private static let resumeMax = MediaTime(seconds: 60)

  /// Returns where a relay goes on that has a part of the log: early enough to miss nothing. What it gets of the past
  /// besides its burst is burst as well. Nil while an index is being fetched; ask again.
  ///
  /// - Parameter reach: how far back listeners get; who asks for more is one, whether it is a relay or only says so.
  func resuming(
    _ resume: RelayResume?, in reader: LogReader, within reach: Reach? = nil
  ) -> Placement? {
    guard let resume, resume.log == reader.logID, resume.known.lowerBound < start.position,
      resume.known.lowerBound >= reader.oldest.position
    else { return self }
    // A listener's codec never changes, so one that has all of another codec begins behind that.
    let known = resume.known
    let isSame =
      reader.format(at: known.lowerBound)?.codec == reader.format(at: known.upperBound)?.codec
    let from = isSame ? known.lowerBound : known.upperBound
    guard var point = reader.point(holding: from).map(reader.pastHole) else { return nil }
    if let reach, reader.edge.media - point.media > reach.offset + reach.slack {
      guard let oldest = reader.oldest(within: reach).map(reader.pastHole) else { return nil }
      point = oldest
    }
    guard point.position < start.position, start.media - point.media <= Self.resumeMax else {
      return self
    }
    var place = self
    (place.start, place.burst) = (point, burst + (start.media - point.media))
    place.offset = (reader.edge.media - point.media).seconds
    return place
  }

  /// Returns where a newcomer begins at a station that is woken for listeners: not in front of the newest gap, however
  /// short its burst is then. A seam in a looping file is no gap: no time is missing there.
  static func woken(burst: MediaTime, in reader: LogReader) -> Placement? {
    guard let found = find(.live, burst: burst, in: reader) else { return nil }
    let behind = found.start.position + 1..<max(found.start.position + 1, reader.edge.position)
    guard let gap = reader.newestGap(in: behind) else { return found }
    return at(reader.point(holding: gap.position), burst, false, reader)
  }

  private static func findAny(
    _ place: StreamRequest.Place, _ burst: MediaTime, _ reader: LogReader
  ) -> Placement? {
    switch place {
    case .live:
      let point = reader.point(atOrBefore: reader.edge.media - burst)
      return at(point.flatMap { sameFormat(from: $0, in: reader) }, burst, false, reader)
    case .behind(let offset):
      return at(reader.point(atOrBefore: reader.edge.media - offset), burst, true, reader)
    case .at(let wall):
      return at(reader.point(at: wall), burst, true, reader)
    case .trackStart:
      let mark = reader.titlePosition(at: reader.edge.position)
      guard mark != .max, mark > reader.oldest.position else {
        return at(reader.oldest, burst, true, reader)
      }
      return reader.media(at: mark).flatMap {
        at(LogPoint(position: mark, media: $0), burst, true, reader)
      }
    }
  }

  /// Returns the point, or the first place behind it from which one decoder plays up to the edge, at one sample rate.
  /// Nil while an index is being fetched.
  private static func sameFormat(from point: LogPoint, in reader: LogReader) -> LogPoint? {
    let format = reader.format(at: reader.edge.position)
    var start = reader.formatPosition(at: reader.edge.position)
    while start > point.position, start < .max {
      guard reader.format(at: start - 1) == format else {
        return reader.media(at: start).map { LogPoint(position: start, media: $0) }
      }
      start = reader.formatPosition(at: start - 1)
    }
    return point
  }

  /// Seconds by which air times may differ. A log that began anew has other packets at its positions: then the air time
  /// counts.
  private static let airSlack = 2.0

  /// Returns where a session stopped: that very packet, as long as the log has it.
  ///
  /// - Parameters:
  ///   - log: serial of the log that the session was in; nil for an earlier process's.
  ///   - now: nil when the session cannot wait until the air time of what is there is known for certain.
  static func resume(
    at position: UInt64, air: WallTime, log: UInt64?, burst: MediaTime, in reader: LogReader,
    within reach: Reach? = nil, now: MonotonicTime? = nil
  ) -> Placement? {
    let found =
      log == reader.logSerial
      ? resumeThere(position, burst, reader) : resumeAny(position, air, burst, reader, now)
    guard let reach, let found,
      reader.edge.media - found.start.media > reach.offset + reach.slack
    else { return found }
    let place = reach.offset == .zero ? StreamRequest.Place.live : .behind(reach.offset)
    return find(place, burst: burst, in: reader, within: reach)
  }

  /// Returns the place in the log that the session was in. A packet's air time may be known better by now; its position
  /// does not change.
  private static func resumeThere(
    _ position: UInt64, _ burst: MediaTime, _ reader: LogReader
  ) -> Placement? {
    guard position > reader.oldest.position else { return at(reader.oldest, burst, true, reader) }
    return reader.media(at: min(position, reader.edge.position)).flatMap {
      at(LogPoint(position: min(position, reader.edge.position), media: $0), burst, true, reader)
    }
  }

  private static func resumeAny(
    _ position: UInt64, _ air: WallTime, _ burst: MediaTime, _ reader: LogReader,
    _ now: MonotonicTime?
  ) -> Placement? {
    if position >= reader.oldest.position, position <= reader.edge.position {
      guard let media = reader.media(at: position), let end = reader.packetEnd(after: position)
      else { return nil }
      if end == position, abs(reader.air(at: media).seconds - air.seconds) < airSlack {
        return at(LogPoint(position: position, media: media), burst, true, reader)
      }
    }
    if let now, reader.isInBurst(at: now) { return nil }
    return find(.at(air), burst: burst, in: reader)
  }

  private static func at(
    _ point: LogPoint?, _ burst: MediaTime, _ isPlaced: Bool, _ reader: LogReader
  ) -> Placement? {
    guard let point = point.map(reader.pastHole) else { return nil }
    let behind = reader.edge.media - point.media
    return Placement(
      start: point, burst: min(burst, behind), isPlaced: isPlaced, offset: behind.seconds)
  }

  /// Returns where steering leads a newcomer. Nil while an index is being fetched; ask again.
  static func steered(
    _ steering: Steering, from place: SteeringPlace, burst: MediaTime, in reader: LogReader
  ) -> Placement? {
    guard let target = place.target(of: steering, in: reader) else { return nil }
    guard let point = target.point else {
      return find(.live, burst: burst, in: reader, within: place.reach)
    }
    return at(point, burst, true, reader)
  }

  func pace(now: Int64) -> Pace {
    isPlaced
      ? .placed(at: start.media, burst: burst, now: now)
      : .live(from: start.media, burst: burst, now: now)
  }
}
