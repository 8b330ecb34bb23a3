import Wire

// Playlists of folders.
extension LoopServer {
  func listFiles(
    _ slot: UInt32, _ head: HTTPRequestHead, _ mount: Mount, _ kind: MountTable.PlaylistKind
  ) {
    guard let source = mount.files else { return }
    let token = connections.token(slot)
    let (files, pages) = (shared.files, shared.pages)
    let customer = AddressBlock(client(slot, head))
    let base = baseURL(slot, head) + "/" + mount.station
    connections[slot].work = Task.detached {
      switch await files.list(source, for: customer) {
      case .list(let list):
        let order = Self.order(list, head, mount, kind, base: base)
        await self.tell(await pages.page(order, to: head, for: customer), token)
      case .missing: await self.refuseList(token, "the station's files are not there")
      case .busy: await self.refuseList(token, "too many lists are asked for; ask again")
      }
    }
  }

  /// Ten thousand names are a megabyte: not for a loop to write.
  private nonisolated static func order(
    _ list: FileList, _ head: HTTPRequestHead, _ mount: Mount, _ kind: MountTable.PlaylistKind,
    base: String
  ) -> PageOrder {
    let query = carried(head)
    let name = mount.description.name.isEmpty ? mount.station : mount.description.name
    var order = page(
      mount, kind, key: "list \(list.version) \(kind.rawValue) \(base) \(query) \(name)"
    ) {
      list.entries.map { entry in
        entry.path.isEmpty
          ? Playlist.Track(url: base + query, title: name, seconds: entry.seconds)
          : Playlist.Track(
            url: "\(base)/\(PercentEncoding.path(entry.path))\(query)", title: entry.path,
            seconds: entry.seconds)
      }
    }
    order.isLong = true
    return order
  }

  private func refuseList(_ token: UInt64, _ message: String) {
    answerWork(token) { replyUnavailable($0, to: $1, message) }
  }
}
