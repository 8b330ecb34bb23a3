import Timeshift
import Wire

// Refusals of files, whichever way they are to be played.
extension Answers {
  /// Answers that there is no such file, or that it is not to be had now.
  ///
  /// - Parameter mount: the mount that the file is of; nil for a file that the relay has named.
  func refuse(
    _ slot: UInt32, _ head: HTTPRequestHead, _ refusal: FoundFile.Answer, _ mount: Mount?
  ) {
    switch refusal {
    case .missing(let message):
      // A file of that name would be one of the station's own.
      if let problem = mount?.hlsProblem, connections.mounts.playlistOfHLS(head.path) != nil {
        return replyError(slot, to: head, status: 404, code: "no-hls", message: problem)
      }
      replyError(slot, to: head, status: 404, code: "not-found", message: message)
    case .isFolder:
      replyError(
        slot, to: head, status: 404, code: "is-a-folder",
        message: mount.map(Self.folderAdvice) ?? "the path names a folder, not a file")
    case .found: replyUnavailable(slot, to: head, "the file cannot be opened; ask again")
    case .unavailable(let message): replyUnavailable(slot, to: head, message)
    case .busy(let message):
      connections.counts.refuse(.full)
      replyUnavailable(slot, to: head, message)
    case .tooMany(let message):
      connections.counts.refuse(.address)
      replyError(
        slot, to: head, status: 429, code: "too-many-files", message: message,
        fields: [.init(name: "Retry-After", value: "10")])
    case .refused(let field, let message):
      replyError(
        slot, to: head, status: 400, code: "bad-parameter", message: message, field: field)
    }
  }

  private static func folderAdvice(_ mount: Mount) -> String {
    "station \(mount.station) is a folder: ask for /\(mount.station).m3u, which lists its files, "
      + "or for one of them as /\(mount.station)/NAME"
  }
}
