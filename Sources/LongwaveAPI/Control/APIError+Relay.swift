import Longwave

// How the API reports a relay's errors over HTTP: the one table of statuses, codes and fields.
extension APIError {
  init(_ error: RelayError) {
    let (status, code, field) = Self.row(of: error)
    self.init(status, code, error.description, field: field)
    switch error {
    case .tooManyPictures, .tooManyChecks, .busyDecoding, .libraryBusy:
      headers["Retry-After"] = "10"
    case .pictureOnItsWay: headers["Retry-After"] = "4"
    default: break
    }
  }

  /// Makes the error of an answer from any error.
  init(of error: any Error) {
    switch error {
    case let error as APIError: self = error
    case let error as RelayError: self.init(error)
    default: self.init(500, "failed", "\(error)")
    }
  }

  private static func row(of error: RelayError) -> (status: Int, code: String, field: String?) {
    switch error {
    case .cannotStart, .failed: (500, "failed", nil)
    case .silentDisk(_, let field): (503, "disk-silent", field)
    case .badField(let field, _): (400, "bad-field", field)
    case .badJSON: (400, "bad-json", nil)
    case .pathNotAllowed(let field, _): (403, "path-not-allowed", field)
    case .unknownStation: (404, "unknown-station", nil)
    case .unknownListener: (404, "unknown-listener", nil)
    case .unknownSession: (404, "unknown-session", nil)
    case .tooManyStations: (409, "too-many-stations", nil)
    case .stationExists, .leftOutStationExists: (409, "station-exists", "id")
    case .mountExists: (409, "mount-exists", "mounts")
    case .stationOfFile: (409, "station-of-file", "id")
    case .otherKind(let field): (409, "other-kind", field)
    case .hasCopy, .isFallback: (409, "station-in-use", "id")
    case .stationStopped: (409, "station-stopped", nil)
    case .tooManyChecks, .tooManyTaps, .busyDecoding: (503, "unavailable", nil)
    case .noProgramme: (404, "no-programme", nil)
    case .unknownItem: (404, "unknown-item", "item")
    case .noSuchTrack: (404, "unknown-track", "track")
    case .trackRefused: (409, "track-refused", "track")
    case .nothingNext: (409, "nothing-to-play", nil)
    case .queueFull: (409, "queue-full", nil)
    case .titlesOfCopy: (409, "delayed-station", nil)
    case .titlesOfFiles: (409, "station-of-files", nil)
    case .noFiles: (404, "no-files", nil)
    case .noArtwork: (404, "no-artwork", nil)
    case .tooManyPictures, .pictureOnItsWay: (503, "unavailable", nil)
    case .noTimeline: (404, "no-timeline", nil)
    case .noSound: (404, "no-sound", nil)
    case .filesUnavailable: (503, "unavailable", nil)
    case .filesForAdministrators: (401, "unauthorized", nil)
    case .recordingOfFiles: (409, "station-of-files", "station")
    case .recordingOff: (409, "record-off", "station")
    case .tooManyRecordings: (409, "too-many-recordings", nil)
    case .unknownRoot: (404, "unknown-root", "root")
    case .trackGone: (404, "no-file", nil)
    case .noTrackArtwork: (404, "no-artwork", nil)
    case .libraryBusy: (503, "library-busy", nil)
    case .outOfWindow: (409, "out-of-window", "from")
    case .nothingToPlay: (409, "nothing-to-play", nil)
    case .otherCodec, .otherCodecThen: (409, "other-codec", nil)
    case .shiftOff: (403, "shift-off", nil)
    case .noAddress: (409, "no-address", nil)
    case .tooManyBans: (409, "too-many-bans", nil)
    case .unknownCollection: (404, "unknown-collection", nil)
    case .unknownMember: (404, "unknown-item", nil)
    case .unknownTrack: (404, "unknown-track", nil)
    case .collectionExists: (409, "collection-exists", "collection")
    case .collectionInUse: (409, "collection-in-use", nil)
    case .circle: (409, "circle", "collections")
    case .badRule: (400, "bad-rule", "rule")
    case .badList: (400, "bad-list", nil)
    case .noTrackOnAir: (409, "nothing-to-play", "station")
    case .noConfiguration: (409, "no-configuration", nil)
    case .badConfiguration: (400, "bad-configuration", nil)
    }
  }
}
