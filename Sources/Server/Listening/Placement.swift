import Timeshift

/// Where a newcomer begins, and how it is paced from there.
struct Placement {
  var start: LogPoint
  /// What of the burst there is: an offset below the burst shortens it.
  var burst: MediaTime
  var isPlaced: Bool
  /// Live edge less first byte, media seconds.
  var offset: Double

  /// nil: an index is being fetched; ask again.
  static func find(_ place: StreamRequest.Place, burst: MediaTime, in reader: LogReader)
    -> Placement?
  {
    switch place {
    case .live:
      return at(reader.point(atOrBefore: reader.edge.media - burst), burst, false, reader)
    case .behind(let offset):
      return at(reader.point(atOrBefore: reader.edge.media - offset), burst, true, reader)
    case .at(let wall):
      return at(reader.point(at: wall), burst, true, reader)
    }
  }

  private static func at(
    _ point: LogPoint?, _ burst: MediaTime, _ isPlaced: Bool, _ reader: LogReader
  ) -> Placement? {
    guard let point else { return nil }
    let behind = reader.edge.media - point.media
    return Placement(
      start: point, burst: min(burst, behind), isPlaced: isPlaced, offset: behind.seconds)
  }

  func pace(now: Int64) -> Pace {
    isPlaced
      ? .placed(at: start.media, burst: burst, now: now)
      : .live(from: start.media, burst: burst, now: now)
  }
}
