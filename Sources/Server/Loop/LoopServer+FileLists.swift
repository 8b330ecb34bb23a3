import Wire

// Playlists of folders.
extension LoopServer {
  func listFiles(
    _ slot: UInt32, _ head: HTTPRequestHead, _ mount: Mount, _ kind: MountTable.PlaylistKind
  ) {
    guard let source = mount.files else { return }
    let token = connections.token(slot)
    let files = shared.files
    let customer = AddressBlock(client(slot, head))
    let base = baseURL(slot, head) + "/" + mount.station
    connections[slot].work = Task.detached {
      // Ten thousand names are a megabyte: not for a loop to write.
      let list = await files.list(source, for: customer) { entries in
        Self.page(head, mount, Self.tracks(entries, head, mount, base: base), kind)
      }
      await self.tell(list, token)
    }
  }

  private nonisolated static func tracks(
    _ entries: [FileEntry], _ head: HTTPRequestHead, _ mount: Mount, base: String
  ) -> [Playlist.Track] {
    let query = carried(head)
    let name = mount.description.name.isEmpty ? mount.station : mount.description.name
    return entries.map { entry in
      entry.path.isEmpty
        ? Playlist.Track(url: base + query, title: name, seconds: entry.seconds)
        : Playlist.Track(
          url: "\(base)/\(PercentEncoding.path(entry.path))\(query)", title: entry.path,
          seconds: entry.seconds)
    }
  }

  private func tell(_ list: FileLists.Answer<Representation>, _ token: UInt64) {
    guard let slot = connections.slot(of: token),
      case .answering(let head, _) = connections[slot].state
    else { return }
    connections[slot].work = nil
    switch list {
    case .made(let page): reply(slot, head, page)
    case .missing: replyUnavailable(slot, to: head, "the station's files are not there")
    case .busy: replyUnavailable(slot, to: head, "too many lists are asked for; ask again")
    }
    if connections.slot(of: token) != nil { proceed(slot) }
    keepTicking()
  }
}
