import Programmes
import Timeshift
import Wire

/// What is kept of items that were played.
extension ProgrammeFeed {
  /// Says how far the item on air has been played.
  ///
  /// - Parameter isWhole: whether it was played to its end; nil while it plays.
  func tellPlay(isWhole: Bool? = nil) {
    guard let onAir, onAir.isTold, let edge = feed?.feed.edge else { return }
    let reader = LogReader(log)
    let before = onAir.secondsBefore
    owner.play(
      PlayNote(
        item: onAir.shown, isrc: onAir.isrc, label: onAir.label,
        seconds: onAir.seconds(to: edge.media),
        began: before == nil ? reader.air(at: onAir.start.media) : onAir.shown.at,
        ended: reader.air(at: edge.media), isWhole: isWhole))
  }

  /// Says how much the log has of the item that was on air when the relay ended, and does not go on.
  func tellPlay(endedIn own: LogSnapshot) {
    guard let mark = own.title, let shown = memory.now?.value,
      mark.title.item?.number == shown.item
    else { return }
    let seconds =
      Self.seconds(before: mark, in: own.format) + max(0, (own.edge.media - mark.media).seconds)
    // What the log has of it may end where it did.
    let isWhole = shown.seconds.map { seconds + Self.endSeconds >= $0 } ?? false
    owner.play(
      PlayNote(
        item: shown, seconds: seconds, began: shown.at, ended: own.edgeAir, isWhole: isWhole))
  }

  /// Seconds by which a length may be wrong.
  private static let endSeconds = 0.5

  /// Seconds of an item that lie in front of its newest mark, since it went on there after a restart.
  static func seconds(before mark: TitleMark, in format: AudioFormat?) -> Double {
    Double(mark.title.item?.sample ?? 0) / Double(max(1, format?.sampleRate ?? 1))
  }
}
