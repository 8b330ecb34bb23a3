import Library
import Settings
import Store
import Wire

// What the API shows.
extension CollectionDesk {
  /// - Parameter all: what is in it, with what is in collections in it.
  func view(
    _ found: StoredCollection, of all: [StoredMember], _ uses: CollectionUses
  ) -> CollectionView {
    let keys = all.compactMap(\.track)
    let files = keys.compactMap { index.files[$0] }
    return CollectionView(
      id: found.id, name: found.name,
      rule: found.rule.flatMap { JSON.parse(Array($0.utf8)) }, tracks: keys.count,
      seconds: files.reduce(0) { $0 + $1.seconds }, missing: keys.count - files.count,
      changed: found.changed, usedBy: uses.stations(playing: found.id))
  }

  /// - Parameter all: what a rule has found.
  func memberViews(
    of found: StoredCollection, _ all: [StoredMember]
  ) async throws(RelayError) -> [MemberView] {
    guard found.rule == nil else {
      return all.enumerated().map { number, member in
        var member = member
        member.id = Int64(number + 1)
        return view(member)
      }
    }
    let known = Set(try await RelayError.attempt { try await store.collections() }.map(\.id))
    return try await members(of: found.id).map { member in
      var shown = view(member)
      if let child = shown.collection { shown.state = known.contains(child) ? .ok : .missing }
      return shown
    }
  }

  private func view(_ member: StoredMember) -> MemberView {
    var view = MemberView(
      id: member.id, title: member.title, artist: member.artist, path: member.path, state: .ok)
    switch member.content {
    case .track(let key):
      let file = index.files[key]
      view.track = TrackView(key: key, file: file)
      if let file {
        (view.title, view.artist, view.path) = (file.title, file.artist, file.absolutePath)
      } else {
        view.state = .missing
      }
    case .collection(let child): view.collection = child
    case .url(let url): view.url = url
    }
    return view
  }
}
