import Timeshift
import Wire

/// Why a relay did not do what it was asked. `description` says what is wrong, on what, and what to do.
///
/// HTTP statuses and codes are in a table of the HTTP interface; nothing here knows of them.
public enum RelayError: Error, Hashable, Sendable {
  /// The relay cannot be made or started.
  case cannotStart(String)
  /// The disk, the database or the system failed.
  case failed(String)
  /// A named file or folder is on a disk that does not answer, in words.
  case silentDisk(String, field: String? = nil)
  /// An invalid value; `field` is the key as programs write it.
  case badField(String, String)
  /// A JSON object was expected, and there is none or a bad one.
  case badJSON(String)
  /// A path that requests over TCP may not name.
  case pathNotAllowed(field: String, String)

  // Names that do not exist.
  case unknownStation(String)
  case unknownListener(UInt64)
  case unknownSession

  // Stations.
  case tooManyStations(Int)
  /// `place` is the file and line of the station that has the id; nil for a station added by command.
  case stationExists(String, place: String?)
  /// The station with that id was left out of this start.
  case leftOutStationExists(String)
  case mountExists(path: String, station: String)
  /// Commands may not change the station: `place` says where it is defined, `verb` what was asked.
  case stationOfFile(String, place: String, verb: String)
  /// A station cannot change its kind of source: `field` is the key that asks for it.
  case otherKind(field: String)
  case hasCopy(String)
  case isFallback(String, of: String)
  case stationStopped(String)
  /// Other upstreams are being tried.
  case tooManyChecks

  // Programmes.
  /// The station is no programme; `origin` says what it is, in words that follow its id.
  case noProgramme(String, _ origin: String)
  case unknownItem(Int64, of: String)
  /// `track` is a track's key, or a file's path.
  case noSuchTrack(_ track: String, of: String)
  case trackRefused(_ track: String, reason: String)
  /// The programme has no item to play.
  case nothingNext(String, reason: String)
  case queueFull(String, Int)

  // Titles, files, recordings.
  case titlesOfCopy(String, of: String)
  case titlesOfFiles(String)
  case noFiles(String)
  /// There is no picture of the station or title; `reason` says what became of the one that is named.
  case noArtwork(String, reason: String?)
  /// The picture of the station or title is still being fetched.
  case pictureOnItsWay(String)
  /// Too many pictures of the station are asked for at once.
  case tooManyPictures(String)
  /// The station serves files, which have no common time.
  case noTimeline(String)
  /// The station's sound cannot be decoded; `reason` is nil before its first packet.
  case noSound(String, reason: String?)
  /// Whether the station's sound can be decoded is not known yet: too much is asked for, or the decoder hangs.
  case busyDecoding(String)
  /// As many streams of samples are open as may be at once.
  case tooManyTaps(Int)
  case filesUnavailable(String)
  /// The station's files are listed for administrators only.
  case filesForAdministrators(String)
  case recordingOfFiles(String)
  case recordingOff(String)
  case tooManyRecordings(Int)
  /// Nothing of that time is in the station's window; `oldest` is nil when the window is empty.
  case outOfWindow(String, oldest: WallTime?)

  // Music of the library.
  case unknownRoot(String)
  /// All files of the track are gone.
  case trackGone(String)
  case noTrackArtwork(String)
  /// The library's database does not answer, or cannot be used; in words.
  case libraryBusy(String)

  // Listeners and bans.
  /// `station` is nil when the listener's own station has nothing to play.
  case nothingToPlay(String?)
  /// The listener's player was set up for another codec than the station has.
  case otherCodec(listener: UInt64, station: String)
  /// At that time the session's station had another codec.
  case otherCodecThen
  case shiftOff
  case noAddress(listener: UInt64)
  case tooManyBans(Int)
  case unknownCollection(String, near: String?)
  case unknownMember(Int64, of: String)
  case unknownTrack(String)
  case collectionExists(String)
  case collectionInUse(String, stations: [String])
  /// The way from a collection to itself.
  case circle([String])
  case badRule(String)
  case badList(String)
  /// Nothing of the library is on air at the station.
  case noTrackOnAir(String)

  // The configuration.
  case noConfiguration
  case badConfiguration(String)
}

extension RelayError {
  package static let badJSON = RelayError.badJSON("write one: {…}")

  package static func failed(by cause: some Error) -> RelayError { .failed("\(cause)") }

  package static func silent(_ path: SilentPath, field: String? = nil) -> RelayError {
    .silentDisk("\(path)", field: field)
  }
}
