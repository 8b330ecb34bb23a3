import Timeshift
import Wire

extension RecordingEntry.Options {
  /// Requires that the recording begins in the past and ends after its beginning, at most ten years later.
  package func requireOrder(now: WallTime) throws(RelayError) {
    let begin = from.map { WallTime(stored: $0) } ?? now
    if overlap > 0, !splits {
      throw RelayError.badField("overlap", "is for files split by title; write split: true too")
    }
    if begin > now { throw RelayError.badField("from", "is not over yet") }
    guard let end = until.map({ WallTime(stored: $0) }) else { return }
    if end <= begin { throw RelayError.badField("until", "has to be later than its beginning") }
    if end.seconds(since: begin) > DurationText.secondsMax {
      throw RelayError.badField("until", "is more than ten years later than its beginning")
    }
  }
}
