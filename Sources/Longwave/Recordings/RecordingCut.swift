import Timeshift
import Wire

/// Answers what a recording asks its log in order to cut it. Nil while an answer is being fetched, unless a comment
/// says otherwise.
protocol CuttableLog {
  func nextFormatPosition(after position: UInt64) -> UInt64
  func nextTitlePosition(after position: UInt64) -> UInt64
  func media(at position: UInt64) -> MediaTime?
  /// The media time of a packet boundary. Where a segment begins it is known without the disk.
  func media(ofBoundary position: UInt64) -> MediaTime?
  func point(atOrBefore media: MediaTime) -> LogPoint?
  func point(holding position: UInt64) -> LogPoint?
  /// The point at which the packets from `position` on end, because what follows cannot be read; nil when nothing is
  /// missing.
  func hole(after position: UInt64) -> LogPoint?
  /// The end of the segment that holds `position`; nil when that is in memory.
  func segmentEnd(after position: UInt64) -> LogPoint?
}

extension LogReader: CuttableLog {}

/// Decides where a recording's files end: at a change of format, at a title, when there is no more room, at its end.
///
/// The cut reads a log's marks and places, and no byte of audio.
struct RecordingCut {
  /// How far a recording may go now.
  struct Goal: Hashable {
    var point: LogPoint
    var isLast: Bool
  }

  /// The piece of a file that is copied.
  struct Piece: Hashable {
    /// Where copying began; from there the format stays the same and there is no hole.
    var start: LogPoint
    /// Copied bytes behind `start`; negative while headers are not copied completely.
    var copied: Int64 = 0
    /// Bytes that may still be written; nil without a limit.
    var room: Int64?
  }

  /// The next part to copy, and what follows after it.
  struct Step: Hashable {
    enum Then: Hashable {
      case more
      /// There is no room for the next packet.
      case full
      /// The file ends, and another begins at `at`, named after the title that begins at `title`.
      case anotherFile(at: LogPoint, title: UInt64)
      case goal
    }

    var end: LogPoint
    var then: Then
  }

  /// Seconds that a title has to last before the next one begins a file: upstreams may change titles as often as they
  /// like.
  private static let titleSecondsMin = 1.0
  /// Length of one step: the place is known after each step, so that a later loss is counted right.
  private static let piece = MediaTime(seconds: 10)

  /// How far files go on before and behind their title.
  let overlap: MediaTime
  /// Position of the title that names the file.
  private(set) var title: UInt64 = 0
  /// Position and media time of that title, once they are known.
  private var titleBegun: LogPoint?

  init(overlap: Double) { self.overlap = MediaTime(seconds: overlap) }

  /// Names the next file after the title that is in force at `position`.
  mutating func begin(at position: UInt64) { title = position }

  /// Notes that everything before `position` is gone.
  mutating func skip(to position: UInt64) { title = max(title, position) }

  /// Returns the next step; nil while something is being fetched.
  ///
  /// - Parameter splits: whether each title begins a file.
  mutating func next(
    at place: LogPoint, in piece: Piece, before goal: Goal, splits: Bool, _ log: some CuttableLog
  ) -> Step? {
    guard let file = fileEnd(at: place, in: piece, before: goal, splits: splits, log),
      let end = stop(from: place, to: file.end, log), let fitting = fitting(end, in: piece, log)
    else { return nil }
    if fitting.position < end.position { return Step(end: fitting, then: .full) }
    return Step(end: end, then: end.position < file.end.position ? .more : file.then)
  }

  // MARK: Files

  /// Returns where the file ends, as far as is known now; nil while something is being fetched.
  private mutating func fileEnd(
    at place: LogPoint, in piece: Piece, before goal: Goal, splits: Bool, _ log: some CuttableLog
  ) -> Step? {
    var end = Step(end: goal.point, then: .goal)
    let change = log.nextFormatPosition(after: piece.start.position)
    if change <= goal.point.position {
      guard let media = Self.media(ofMark: change, log) else { return nil }
      let point = LogPoint(position: change, media: media)
      end = Step(end: point, then: .anotherFile(at: point, title: change))
    }
    guard splits else { return end }
    guard let reach = titleReach(from: place, log),
      let (title, media) = nextTitle(before: min(end.end.position, reach), log)
    else { return nil }
    guard title <= end.end.position else { return end }
    return self.end(at: LogPoint(position: title, media: media), in: piece, before: goal, end, log)
  }

  /// Returns the end at a title; `end` is the latest end of the file.
  private func end(
    at title: LogPoint, in piece: Piece, before goal: Goal, _ end: Step, _ log: some CuttableLog
  ) -> Step? {
    if overlap == .zero {
      return Step(end: title, then: .anotherFile(at: title, title: title.position))
    }
    guard let after = log.point(atOrBefore: title.media + overlap),
      let before = log.point(atOrBefore: title.media - overlap)
    else { return nil }
    // The overlap behind the title has not come completely.
    if !goal.isLast, title.media + overlap > goal.point.media { return end }
    let next = before.position < piece.start.position ? piece.start : before
    return Step(
      end: after.position < end.end.position ? after : end.end,
      then: .anotherFile(at: next, title: title.position))
  }

  /// Returns how far titles are looked for now; nil while something is being fetched.
  private func titleReach(from place: LogPoint, _ log: some CuttableLog) -> UInt64? {
    if overlap == .zero { return Self.piece(from: place, log)?.position }
    return log.point(atOrBefore: place.media + Self.piece + overlap)?.position
  }

  private static func media(ofMark position: UInt64, _ log: some CuttableLog) -> MediaTime? {
    log.media(ofBoundary: position) ?? log.media(at: position)
  }

  /// Returns when the title begins that names the file; nil while that is being fetched.
  private mutating func titleStart(_ log: some CuttableLog) -> MediaTime? {
    if let known = titleBegun, known.position == title { return known.media }
    guard let media = log.media(at: title) else { return nil }
    titleBegun = LogPoint(position: title, media: media)
    return media
  }

  /// Returns the next title that begins a file, `.max` if none does up to `end`; nil while something is being fetched.
  private mutating func nextTitle(
    before end: UInt64, _ log: some CuttableLog
  ) -> (position: UInt64, media: MediaTime)? {
    guard let begun = titleStart(log) else { return nil }
    let earliest = begun + MediaTime(seconds: Self.titleSecondsMin)
    let next = log.nextTitlePosition(after: title)
    guard next <= end else { return (.max, .max) }
    guard let media = Self.media(ofMark: next, log) else { return nil }
    if media >= earliest { return (next, media) }
    guard let point = log.point(atOrBefore: earliest) else { return nil }
    let later = log.nextTitlePosition(after: max(next, point.position))
    guard later <= end else { return (.max, .max) }
    return Self.media(ofMark: later, log).map { (later, $0) }
  }

  // MARK: Steps

  /// Returns the end of the next step towards `end`; nil while something is being fetched.
  private func stop(
    from place: LogPoint, to end: LogPoint, _ log: some CuttableLog
  ) -> LogPoint? {
    // Packets before a hole are not missing. A step goes no further than titles are looked for.
    let hole = log.hole(after: place.position).flatMap {
      $0.position > place.position && $0.position < end.position ? $0 : nil
    }
    let end = hole ?? end
    guard let step = Self.piece(from: place, log) else { return nil }
    return step.position > place.position && step.position < end.position ? step : end
  }

  /// Returns the end of a step from `place`, at most the end of its segment; nil while something is being fetched.
  ///
  /// One segment at a time: while several are needed at once, other readers may put one of them away.
  private static func piece(from place: LogPoint, _ log: some CuttableLog) -> LogPoint? {
    let far = place.media + piece
    if let end = log.segmentEnd(after: place.position), end.media <= far { return end }
    return log.point(atOrBefore: far)
  }

  /// Returns how far towards `end` whole packets fit into the room; nil while something is being fetched.
  private func fitting(
    _ end: LogPoint, in piece: Piece, _ log: some CuttableLog
  ) -> LogPoint? {
    guard let room = piece.room else { return end }
    let last = piece.start.position + UInt64(max(0, piece.copied + room))
    if last >= end.position { return end }
    // A point behind `last` lies behind a hole, where the clip ends: there is room up to `end`.
    return log.point(holding: last).map { $0.position > last ? end : $0 }
  }
}
