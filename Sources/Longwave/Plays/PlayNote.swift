import Library
import Programmes
import Timeshift
import Wire

/// What a programme's feed says of an item whose first packet is in the log.
struct PlayNote: Sendable {
  var item: ProgrammeItem
  var isrc: String?
  var label: String?
  /// Seconds of it that the log has.
  var seconds: Double
  /// Air times of its first packet, and of the end of its last one.
  var (began, ended): (WallTime, WallTime)
  /// Whether it was played to its end; nil while it plays.
  var isWhole: Bool?

  func play(of station: String) -> Play {
    let key = Play.Key(station: station, item: item.item, at: item.at.milliseconds)
    var play = Play(
      key, kind: item.kind, ended: ended.milliseconds, seconds: seconds, isWhole: isWhole)
    play.track = item.track
    if item.kind == .live {
      // One play of many titles is known by the station that it is.
      play.title = item.source?.station
    } else {
      (play.title, play.artist, play.album) = (item.title, item.artist, item.album)
    }
    play.why = item.why?.rawValue
    (play.isrc, play.label) = (isrc, label)
    return play
  }
}
