import Audio
import Ingest
import Library
import Programmes
import Timeshift
import Wire

extension ProgrammeFeed {
  /// What the feed tells its owner; nothing of it may block.
  struct Owner: Sendable {
    var tell: @Sendable (IngestEvent) -> Void
    /// Keeps how far the programme has come.
    var keep: @Sendable (ProgrammeMemory) -> Void
    /// Says that a file could not be played, or not to its end.
    var tellFailure: @Sendable (MusicFile, ItemFailure) -> Void
    /// Tells what happens in the programme.
    var report: @Sendable (ProgrammeEvent) -> Void = { _ in }
    /// Says how far an item has been played.
    var play: @Sendable (PlayNote) -> Void = { _ in }
    /// Says that a source has nothing to play, and is passed over.
    var tellEmpty: @Sendable (Source) -> Void = { _ in }
    /// Called with the time of which it is not told insert by insert what was missed.
    var tellUnlisted: @Sendable (Range<WallTime>) -> Void = { _ in }
    /// Says that a station cannot be played.
    var tellRefused: @Sendable (_ station: String, _ reason: String) -> Void = { _, _ in }
    /// What is known of a file's loudness now.
    var levels: @Sendable (MusicFile) -> TrackGain = { $0.levels }
    /// Says which file comes soon whose loudness counts.
    var hurry: @Sendable (MusicFile) -> Void = { _ in }
    /// Has a file made that does not fit as it is.
    var make: @Sendable (MusicFile, MadeFormat, _ due: Int64) async -> FileMaker.Outcome = {
      _, _, _ in .failure(ItemFailure("nothing is made to fit"))
    }
    /// Deletes what was made and cannot be played.
    var dropMade: @Sendable (MusicFile) -> Void = { _ in }
    /// Has a station's log read for as long as that is not ended.
    var take: @Sendable (PacketLog, StationTake.Wish) -> StationTake = {
      StationTake($0, $1, makeDecoder: PacketDecoder.make)
    }
  }
}
