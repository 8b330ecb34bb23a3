import Reactor
import Timeshift
import Wire

extension HLSPlaylistRequest: Wanted {
  init(_ request: PathRequest, _ kind: Kind) throws(StreamRequest.Refusal) {
    try self.init(
      request.head.query, kind, at: request.mount, now: request.now, in: request.mounts)
  }

  func refusal(to head: HTTPRequestHead, at mount: Mount) -> RightRefusal? {
    if let refusal = mount.hlsRefusal { return refusal }
    if mount.settings.allowsShift || (offset == nil && at == nil) { return nil }
    return RightRefusal(
      code: "shift-off",
      message: "station \(mount.station) is heard live only; leave out offset and at",
      field: offset != nil ? "offset" : "at")
  }

  func asksAuthority(
    _ head: HTTPRequestHead, _ client: Peer, of mount: Mount, _ shared: SharedState
  ) -> Bool {
    head.method == "HEAD"
      || !shared.hls.audience.isAdmitted(HLSListener(head, client, at: mount), at: .now())
  }

  func give(_ slot: UInt32, _ head: HTTPRequestHead, of mount: Mount, by givers: Givers) {
    givers.hls.playlists.send(slot, head, self, mount)
  }
}

extension HLSPieceRequest: Wanted {
  init(_ request: PathRequest) { self.init(request.parts) }

  func refusal(to head: HTTPRequestHead, at mount: Mount) -> RightRefusal? { mount.hlsRefusal }

  func asksAuthority(
    _ head: HTTPRequestHead, _ client: Peer, of mount: Mount, _ shared: SharedState
  ) -> Bool { false }

  func give(_ slot: UInt32, _ head: HTTPRequestHead, of mount: Mount, by givers: Givers) {
    givers.hls.pieces.send(slot, head, self, mount)
  }
}

/// A request for a piece of the window as a finished playlist.
struct HLSClipRequest: Wanted {
  let clip: ClipRequest

  init(_ request: PathRequest) throws(StreamRequest.Refusal) {
    clip = try ClipRequest(request)
    if clip.isReversed {
      throw .reversedPlaylist
    }
  }

  func refusal(to head: HTTPRequestHead, at mount: Mount) -> RightRefusal? {
    mount.hlsRefusal ?? clip.refusal(to: head, at: mount)
  }

  func give(_ slot: UInt32, _ head: HTTPRequestHead, of mount: Mount, by givers: Givers) {
    givers.hls.clips.send(slot, head, clip, mount)
  }
}

/// A request for `/ID.m3u8` of a mount of files, which has none.
struct HLSOfFiles: Wanted {
  static var isOfFiles: Bool { true }

  func give(_ slot: UInt32, _ head: HTTPRequestHead, of mount: Mount, by givers: Givers) {
    givers.hls.playlists.redirect(slot, head, mount)
  }
}

/// A request for `/ID.m3u8`, which leads to the playlist of the qualities.
struct HLSRedirect: Wanted {
  func give(_ slot: UInt32, _ head: HTTPRequestHead, of mount: Mount, by givers: Givers) {
    givers.hls.playlists.redirect(slot, head, mount)
  }
}

extension Mount {
  /// Why the station gives nobody HLS by its own wish.
  var hlsRefusal: RightRefusal? {
    settings.hls.isOn
      ? nil
      : RightRefusal(
        code: "hls-off",
        message: "station \(station) is not given as HLS; its stream is at \(name)")
  }
}
