import Timeshift
import Wire

/// A path that the loops answer themselves. Its row is read by the routes, by `Admission`, by the counts of requests,
/// and by the API's description.
///
/// A new path is a row and a `Wanted` for what its requests ask for: see the target's page.
package struct ServedPath: Sendable {
  typealias Refusal = StreamRequest.Refusal
  typealias Read = @Sendable (PathRequest) throws(Refusal) -> any Wanted

  /// Name of the operation in the API's description.
  package let name: String
  /// `GET` means HEAD and OPTIONS as well.
  package let method: String
  package let pattern: PathPattern
  /// Whether a mount of files has it, in place of one with a stream.
  let isOfFiles: Bool
  /// Whether `bitrate` chooses among the station's renditions.
  let choosesRendition: Bool
  /// Whether anybody may have it, whom the station lets listen or not.
  let isForAll: Bool
  /// Whether the answer has addresses that count from the path, so that the path may be written in one way only.
  let isSpelledOnce: Bool
  /// Reads what a request wants; nil for a source, which wants nothing but to bring its audio.
  let read: Read?
  /// Whether what a request wants follows from the path's parts alone.
  let isOfPath: Bool

  private init<Request: Wanted>(
    _ name: String, _ pattern: PathPattern, choosesRendition: Bool = false, isForAll: Bool = false,
    isSpelledOnce: Bool = false, isOfPath: Bool = false,
    _ read: @escaping @Sendable (PathRequest) throws(Refusal) -> Request
  ) {
    (self.name, method, self.pattern) = (name, "GET", pattern)
    isOfFiles = Request.isOfFiles
    (self.choosesRendition, self.isForAll) = (choosesRendition, isForAll)
    (self.isSpelledOnce, self.isOfPath) = (isSpelledOnce, isOfPath)
    self.read = { (request) throws(Refusal) in try read(request) }
  }

  private init(source name: String, _ pattern: PathPattern) {
    (self.name, method, self.pattern) = (name, "PUT", pattern)
    (isOfFiles, choosesRendition, isForAll) = (false, false, false)
    (isSpelledOnce, isOfPath, read) = (false, false, nil)
  }
}

extension ServedPath {
  package static let listen = ServedPath(
    "listen", "/{station}", choosesRendition: true, StreamRequest.init)
  package static let push = ServedPath(source: "push", "/{station}")
  package static let clip = ServedPath("clip", "/{station}/clip", ClipRequest.init)
  package static let samples = ServedPath("samples", "/{station}/pcm") {
    (request) throws(Refusal) in try SampleRequest(request, isWAV: false)
  }
  package static let samplesFile = ServedPath("samplesFile", "/{station}/pcm.wav") {
    (request) throws(Refusal) in try SampleRequest(request, isWAV: true)
  }
  package static let hlsMultivariant = ServedPath(
    "hlsMultivariantPlaylist", "/{station}/hls/live.m3u8", isSpelledOnce: true
  ) { (request) throws(Refusal) in try HLSPlaylistRequest(request, .multivariant) }
  package static let hlsMedia = ServedPath(
    "hlsPlaylist", "/{station}/hls/main.m3u8", isSpelledOnce: true
  ) { (request) throws(Refusal) in try HLSPlaylistRequest(request, .media) }
  package static let hlsClip = ServedPath(
    "hlsClip", "/{station}/hls/clip.m3u8", isSpelledOnce: true, HLSClipRequest.init)
  package static let hlsSegment = ServedPath(
    "hlsSegment", "/{station}/hls/{key}/{segment}", isSpelledOnce: true, isOfPath: true
  ) { (request) throws(Refusal) in HLSPieceRequest(request) }
  package static let hlsSealedSegment = ServedPath(
    "hlsSealedSegment", "/{station}/hls/{seal}/{key}/{segment}", isSpelledOnce: true, isOfPath: true
  ) { (request) throws(Refusal) in HLSPieceRequest(request) }
  package static let hlsRedirect = ServedPath(
    "hlsRedirect", "/{station}.m3u8", isForAll: true, isSpelledOnce: true
  ) { (_) throws(Refusal) in HLSRedirect() }
  private static let hlsOfFiles = ServedPath("hlsRedirect", "/{station}.m3u8", isForAll: true) {
    (_) throws(Refusal) in HLSOfFiles()
  }
  /// Below a mount of files every path is one of them, however deep; a mount that is one file is that file.
  package static let file = ServedPath("file", "/{station}/{file}", FileRequest.init)

  package static func playlist(_ kind: PlaylistKind) -> ServedPath {
    ServedPath(
      "\(kind.rawValue)Playlist", pattern(kind), choosesRendition: true, isForAll: true
    ) { (request) throws(Refusal) in try StreamPlaylist(request, kind) }
  }

  /// The names of files are told only to clients that may listen.
  private static func fileList(_ kind: PlaylistKind) -> ServedPath {
    ServedPath("\(kind.rawValue)Playlist", pattern(kind)) {
      (_) throws(Refusal) in FileListRequest(kind: kind)
    }
  }

  private static func pattern(_ kind: PlaylistKind) -> PathPattern {
    PathPattern(stringLiteral: "/{station}.\(kind.rawValue)")
  }

  package static let all =
    [
      listen, push, clip, samples, samplesFile, hlsMultivariant, hlsMedia, hlsClip, hlsSegment,
      hlsSealedSegment, hlsRedirect, hlsOfFiles, file,
    ] + PlaylistKind.allCases.map(playlist)
    + PlaylistKind.allCases.map(fileList)
}

/// A request for a served path.
struct PathRequest {
  let head: HTTPRequestHead
  let mount: Mount
  /// What stands where the row's path has further parts in braces.
  let parts: [String]
  let now: WallTime
  /// All mounts, the renditions among them.
  let mounts: MountTable
}
