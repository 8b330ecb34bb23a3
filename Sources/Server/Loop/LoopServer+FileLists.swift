import Wire

// Playlists of folders.
extension LoopServer {
  func listFiles(_ slot: UInt32, _ mount: Mount, _ kind: MountTable.PlaylistKind) {
    guard let source = mount.files else { return }
    let token = connections.token(slot)
    let files = shared.files
    Task.detached {
      let entries = await files.list(source)
      await self.tell(entries, token, mount, kind)
    }
  }

  private func tell(
    _ entries: [FileEntry]?, _ token: UInt64, _ mount: Mount, _ kind: MountTable.PlaylistKind
  ) {
    guard let slot = connections.slot(of: token),
      case .answering(let head, _) = connections[slot].state
    else { return }
    if let entries {
      let base = baseURL(slot, head) + "/" + mount.station
      let query = head.query.raw.isEmpty ? "" : "?" + head.query.raw
      let name = mount.description.name.isEmpty ? mount.station : mount.description.name
      let tracks = entries.map { entry in
        entry.path.isEmpty
          ? Playlist.Track(url: base + query, title: name, seconds: entry.seconds)
          : Playlist.Track(
            url: "\(base)/\(PercentEncoding.path(entry.path))\(query)", title: entry.path,
            seconds: entry.seconds)
      }
      reply(slot, head, mount, tracks, kind)
    } else {
      replyUnavailable(slot, to: head, "the station's files are not there")
    }
    if connections.slot(of: token) != nil { proceed(slot) }
    keepTicking()
  }
}
