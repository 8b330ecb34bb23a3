/// A place in a log that can be found again after a restart. A crash may have taken what was in front of it, and other
/// audio may have come there.
///
/// Its stored form is the one that recordings have always had.
package struct Bookmark: Codable, Hashable, Sendable {
  package var position: UInt64
  package var flicks: Int64
  /// When the packet was on air, in nanoseconds since 1970; nil if an older version stored the bookmark.
  package var air: Int64?
  /// The gaps before the place; nil if unknown.
  package var past: Past?

  package init(_ point: LogPoint, air: WallTime? = nil, past: Past? = nil) {
    (position, flicks, self.air) = (point.position, point.media.stored, air?.stored)
    self.past = past
  }

  package var point: LogPoint { LogPoint(position: position, media: MediaTime(stored: flicks)) }
  var airTime: WallTime? { air.map { WallTime(stored: $0) } }

  /// The log's gaps before a place. Audio that gets positions a second time begins with a gap, so a log with another
  /// gap there has other audio behind it.
  package struct Past: Codable, Hashable, Sendable {
    package struct Gap: Codable, Hashable, Sendable {
      package var position: UInt64
      /// The seconds missing in the gap: two processes that began at one position hardly agree on them.
      package var seconds: Double

      init(_ mark: GapMark) { (position, seconds) = (mark.position, mark.seconds) }
    }

    /// The position from which on all gaps are in `gaps`: no segment that may come back lies behind it.
    package var start: UInt64
    package var gaps: [Gap]

    /// The most gaps stored; more than come within what a crash takes.
    package static let gapsMax = 8
  }
}
