import Timeshift
import Wire

extension RelayError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .cannotStart(let reason), .failed(let reason), .badConfiguration(let reason): reason
    case .silentDisk(let reason, let field): (field.map { "\($0): " } ?? "") + reason
    case .badField(let field, let reason), .pathNotAllowed(let field, let reason):
      "\(field): \(reason)"
    case .badJSON(let reason): "The body is not a JSON object: \(reason)."
    case .unknownStation(let id): "There is no station \"\(id)\"."
    case .unknownListener(let id): "There is no listener \(id)."
    case .unknownSession: "There is no such session."
    case .tooManyStations(let count):
      "There are \(count) stations, as many as a relay has; remove one of them first."
    case .stationExists(let id, let place):
      "There is a station \"\(id)\" already\(place.map { ", \($0)" } ?? "")."
    case .leftOutStationExists(let id):
      "There is a station \"\(id)\", which was left out of this start; remove it first."
    case .mountExists(let path, let id): "\(path) leads to the station \"\(id)\" already."
    case .stationOfFile(let id, let place, let verb):
      "\(id) is \(place): it cannot be \(verb) by command."
    case .otherKind:
      "A station cannot change its kind of source; remove the station and add it again."
    case .hasCopy(let copy): "\"\(copy)\" is made of this station; remove it first."
    case .isFallback(let id, let user):
      "\"\(id)\" is the fallback of \"\(user)\"; change that one first."
    case .stationStopped(let id): "The station \"\(id)\" is stopped; start it first."
    case .noProgramme(let id, let origin): "\(id) \(origin); only programmes have a next item"
    case .unknownItem(let item, let id):
      "\(id) has no item \(item) to come; longwave programme show \(id) lists them"
    case .noSuchTrack(let track, let id):
      "\(id) has no track \(track); neither its programme nor a folder of the library has it"
    case .trackRefused(let track, let reason): "\(track) \(reason), so it cannot be played"
    case .nothingNext(let id, let reason): "\(id) has nothing to play: \(reason)"
    case .queueFull(let id, let count):
      "the queue of \(id) has room for \(count) items; take some out, or wait"
    case .tooManyChecks: "Other upstreams are being tried; ask again in some seconds."
    case .titlesOfCopy(let id, let original):
      "\"\(id)\" has its titles from \"\(original)\"; announce the title there."
    case .titlesOfFiles(let id): "\"\(id)\" serves files, which bring their own titles."
    case .noArtwork(let id, let reason):
      reason.map { "The picture of the station \"\(id)\" cannot be fetched: \($0)." }
        ?? "The station \"\(id)\" has no picture there."
    case .pictureOnItsWay(let id):
      "The picture of the station \"\(id)\" is being fetched; ask again in some seconds."
    case .tooManyPictures(let id):
      "Too many pictures of the station \"\(id)\" are asked for; ask again in some seconds."
    case .noSound(let id, nil): "The station \"\(id)\" has sent no audio yet."
    case .noSound(let id, let reason?):
      "The sound of the station \"\(id)\" is not available: \(reason)."
    case .busyDecoding(let id):
      "The relay decodes too much for the station \"\(id)\" now; ask again in some seconds."
    case .tooManyTaps(let count): "\(count) streams of samples are open; end one of them first."
    case .noTimeline(let id): "The station \"\(id)\" serves files; it has no timeline."
    case .noFiles(let id): "The station \"\(id)\" is a stream; it has no files."
    case .filesUnavailable(let id): "The files of \"\(id)\" are not there."
    case .filesForAdministrators(let id): "Only administrators see the files of \"\(id)\"."
    case .recordingOfFiles(let id): "\"\(id)\" serves files, which need no recording."
    case .recordingOff(let id):
      "\"\(id)\" has record: false; remove that key to record the station."
    case .tooManyRecordings(let count): "\(count) recordings run; stop one of them first."
    case .outOfWindow(let id, let oldest):
      "The window of \"\(id)\" has nothing of that time: "
        + (oldest.map { "it begins at \($0.rfc3339)." } ?? "it is empty.")
    case .unknownRoot(let id):
      "There is no root \"\(id)\"; longwave library status lists the roots."
    case .trackGone(let key): "No file of the track \(key) is there."
    case .noTrackArtwork(let key): "The track \(key) has no picture."
    case .libraryBusy(let reason): reason
    case .nothingToPlay(let id?): "The station \"\(id)\" has nothing to play now."
    case .nothingToPlay(nil): "The station is gone or has nothing to play now."
    case .otherCodec(let listener, let id):
      "The player of listener \(listener) was set up for another codec than \"\(id)\" has."
    case .otherCodecThen:
      "At that time the station had another codec than the player was set up for."
    case .shiftOff: "The station is heard live only."
    case .noAddress(let id): "Listener \(id) has come by the Unix socket, which cannot be banned."
    case .tooManyBans(let count): "There are \(count) bans; ban a range, or lift some."
    case .unknownCollection(let id, let near):
      "There is no collection \"\(id)\"" + (near.map { "; did you mean \($0)?" } ?? ".")
    case .unknownMember(let member, let id):
      "The collection \"\(id)\" has no member \(member)."
    case .unknownTrack(let track):
      "There is no track \(track) in the folders that are looked through."
    case .collectionExists(let id): "There is a collection \"\(id)\" already."
    case .collectionInUse(let id, let stations):
      "The collection \"\(id)\" is played by \(stations.joined(separator: ", ")); change that first."
    case .circle(let way):
      "The collection would be in itself: \(way.joined(separator: ", "))."
    case .badRule(let reason): "rule: \(reason)"
    case .badList(let reason): reason
    case .noTrackOnAir(let id): "No track of a programme is on air at \"\(id)\"."
    case .noConfiguration: "This server was started without a configuration to read again."
    }
  }
}
