import Timeshift
import Wire

/// Titles of the original on their way to the packets of a rendition.
struct RenditionTitles {
  /// Titles for packets that are made already, and where they belong.
  var late: [(mark: TitleMark, point: LogPoint)] = []
  /// Titles for packets that are still to be made, in their order.
  private var waiting: [TitleMark] = []
  /// The newest packets of the rendition, and the media times up to which titles belong to them.
  private var made: [(until: MediaTime, point: LogPoint)] = []

  /// Packets that are remembered: half a minute, in which a title may become known.
  private static let madeMax = 1200

  mutating func add(_ mark: TitleMark) {
    if let oldest = made.first, mark.media > oldest.until,
      let place = made.first(where: { $0.until >= mark.media })
    {
      late.append((mark, place.point))
    } else {
      waiting.append(mark)
    }
  }

  /// Removes and returns the titles that belong to the packet at `point`, or to packets before it.
  ///
  /// - Parameter until: media time up to which titles belong to that packet.
  mutating func due(until: MediaTime, at point: LogPoint) -> [TitleMark] {
    let due = waiting.prefix { $0.media <= until }
    waiting.removeFirst(due.count)
    made.append((until, point))
    if made.count > 2 * Self.madeMax { made.removeFirst(Self.madeMax) }
    return Array(due)
  }

  mutating func forget() { (late, waiting, made) = ([], [], []) }
}
