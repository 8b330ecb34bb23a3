import Timeshift
import Wire

/// What a client wants of a mount, as its request says.
protocol Wanted: Sendable {
  /// Whether a mount of files has it, in place of one with a stream.
  static var isOfFiles: Bool { get }

  /// Why the mount's station does not allow it to any listener; nil where it does.
  func refusal(to head: HTTPRequestHead, at mount: Mount) -> RightRefusal?
  /// Whether the mount's authority has to say whether the client may have it.
  func asksAuthority(
    _ head: HTTPRequestHead, _ client: Peer, of mount: Mount, _ shared: SharedState
  ) -> Bool
  /// Gives it to a client that was let in.
  func give(_ slot: UInt32, _ head: HTTPRequestHead, of mount: Mount, by givers: Givers)
}

/// Why a station does not allow what is wanted: answered 403.
struct RightRefusal {
  var code: String
  var message: String
  var field: String?
}

/// The parts of a loop that give clients what they want.
struct Givers {
  let answers: Answers
  let clips: Clips
  let taps: Taps
  let files: Files
  let listeners: Listeners
  let hls: HLSGivers
}

extension Wanted {
  static var isOfFiles: Bool { false }

  func refusal(to head: HTTPRequestHead, at mount: Mount) -> RightRefusal? { nil }

  func asksAuthority(
    _ head: HTTPRequestHead, _ client: Peer, of mount: Mount, _ shared: SharedState
  ) -> Bool { true }

  func isFound(in content: Mount.Content) -> Bool {
    switch content {
    case .stream: !Self.isOfFiles
    case .files: Self.isOfFiles
    case .nothing: false
    }
  }
}

extension StreamRequest: Wanted {
  init(_ request: PathRequest) throws(Refusal) {
    try self.init(request.head, now: request.now, in: request.mount.timeZone)
    if request.head.query["bitrate"] != nil,
      let problem = request.mounts.problem(withBitrateAt: request.mount)
    {
      throw problem
    }
  }

  func refusal(to head: HTTPRequestHead, at mount: Mount) -> RightRefusal? {
    if mount.settings.allowsShift || (place == .live && seek?.isShift != true) { return nil }
    return RightRefusal(
      code: "shift-off",
      message: "station \(mount.station) is heard live only; leave out offset, at and seek",
      field: ["offset", "at"].first { head.query[$0] != nil } ?? "seek")
  }

  func give(_ slot: UInt32, _ head: HTTPRequestHead, of mount: Mount, by givers: Givers) {
    givers.listeners.enter(slot, head, self, mount)
  }
}

/// A request for a playlist that leads to the mount's stream.
struct StreamPlaylist: Wanted {
  let kind: PlaylistKind

  init(_ request: PathRequest, _ kind: PlaylistKind) throws(StreamRequest.Refusal) {
    // Its entries carry the query: what the stream refuses is refused here already.
    _ = try StreamRequest(request)
    self.kind = kind
  }

  func give(_ slot: UInt32, _ head: HTTPRequestHead, of mount: Mount, by givers: Givers) {
    givers.answers.sendPlaylist(slot, head, mount, kind)
  }
}

extension ClipRequest: Wanted {
  init(_ request: PathRequest) throws(StreamRequest.Refusal) {
    try self.init(request.head.query, now: request.now, in: request.mount.timeZone)
  }

  func refusal(to head: HTTPRequestHead, at mount: Mount) -> RightRefusal? {
    if mount.settings.givesClips { return nil }
    return RightRefusal(code: "clip-off", message: "station \(mount.station) gives no clips")
  }

  func give(_ slot: UInt32, _ head: HTTPRequestHead, of mount: Mount, by givers: Givers) {
    givers.clips.cut(slot, head, self, mount)
  }
}

extension SampleRequest: Wanted {
  init(_ request: PathRequest, isWAV: Bool) throws(StreamRequest.Refusal) {
    try self.init(request.head, isWAV: isWAV, now: request.now, in: request.mount.timeZone)
  }

  func refusal(to head: HTTPRequestHead, at mount: Mount) -> RightRefusal? {
    if mount.settings.allowsShift || place == .live { return nil }
    return RightRefusal(
      code: "shift-off",
      message: "station \(mount.station) is heard live only; leave out offset and at",
      field: head.query["offset"] != nil ? "offset" : "at")
  }

  func give(_ slot: UInt32, _ head: HTTPRequestHead, of mount: Mount, by givers: Givers) {
    givers.taps.open(slot, head, self, mount)
  }
}

extension FileRequest: Wanted {
  static var isOfFiles: Bool { true }

  init(_ request: PathRequest) throws(StreamRequest.Refusal) {
    try self.init(request.parts.first ?? "", request.head.query)
  }

  func give(_ slot: UInt32, _ head: HTTPRequestHead, of mount: Mount, by givers: Givers) {
    if isReversed {
      givers.clips.reversals.play(slot, head, self, mount)
    } else {
      givers.files.openFile(slot, head, self, mount)
    }
  }
}

/// A request for a playlist of a mount's files.
struct FileListRequest: Wanted {
  static var isOfFiles: Bool { true }

  let kind: PlaylistKind

  func give(_ slot: UInt32, _ head: HTTPRequestHead, of mount: Mount, by givers: Givers) {
    givers.files.listFiles(slot, head, mount, kind)
  }
}
