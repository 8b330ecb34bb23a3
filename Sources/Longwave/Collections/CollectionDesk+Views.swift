import Library
import Settings
import Store
import Threads
import Timeshift
import Wire

/// What there is in a collection, with what is in collections in it.
struct CollectionCount: Sendable {
  var tracks = 0
  var seconds = 0.0
  /// Tracks that are in no folder now.
  var missing = 0
}

// What the API shows.
extension CollectionDesk {
  /// What was counted of a collection.
  struct Counted: Sendable {
    var id: String
    var count: CollectionCount
    /// What a rule has found; nil of a list.
    var tracks: [TrackKey]?
  }

  /// Seconds for which counts are kept that go by rules, and what a rule has found.
  private static let keptSeconds = 10.0

  /// Returns all collections by their ids, without members.
  public func list() async throws(RelayError) -> [CollectionView] {
    var (views, expansion): ([CollectionView], Expansion) = ([], Expansion())
    let uses = await uses()
    for stored in try await RelayError.attempt({ try await store.collections() }) {
      let known = counts[stored.id]
      let count =
        if let known { known } else { try await makeCount(of: stored, &expansion).count }
      views.append(view(stored, count, uses))
    }
    return views
  }

  /// Returns a collection with a page of its members.
  public func show(
    _ id: String, limit: Int = 100, after: MemberMark? = nil
  ) async throws(RelayError) -> CollectionView {
    try await show(id, upTo: limit, after: after)
  }

  /// - Parameter limit: the most members; nil: all that are left.
  func show(
    _ id: String, upTo limit: Int?, after: MemberMark? = nil
  ) async throws(RelayError) -> CollectionView {
    let stored = try await required(id)
    let counted = try await counted(stored)
    var view = view(stored, counted.count, await uses())
    let members: [StoredMember]
    if let tracks = counted.tracks {
      guard let begin = Self.place(behind: after, in: tracks) else {
        throw RelayError.unknownMember(after?.member ?? 0, of: id)
      }
      let places = (begin..<tracks.count).prefix(limit ?? .max)
      members = places.map { StoredMember(id: Int64($0 + 1), .track(tracks[$0])) }
      if places.endIndex < tracks.count, let last = places.last {
        view.next = MemberMark(member: Int64(last + 1), behind: tracks[...last])
      }
    } else if limit == nil, after == nil {
      members = try await RelayError.attempt { try await store.members(of: id) }
    } else {
      var place: Double?
      if case .place(let stood)? = after?.stand { place = stood }
      let found = try await RelayError.attempt { [place] in
        try await store.members(
          of: id, after: after?.member, standing: place, limit: limit ?? .max)
      }
      guard let found else { throw RelayError.unknownMember(after?.member ?? 0, of: id) }
      members = found.members
      view.next = found.next.map { MemberMark(member: $0.id, .place($0.place)) }
    }
    view.members = try await views(of: members)
    return view
  }

  /// Where a page of what a rule has found begins; nil of a place that there is not.
  private static func place(behind mark: MemberMark?, in tracks: [TrackKey]) -> Int? {
    guard let mark else { return 0 }
    let place = Int(clamping: mark.member)
    guard case .tracks(let keys)? = mark.stand else {
      return (0...tracks.count).contains(place) ? place : nil
    }
    for key in keys.reversed() {
      if let found = tracks.firstIndex(of: key) { return found + 1 }
    }
    // Where they are gone, those behind them have moved up.
    return min(max(0, place - keys.count), tracks.count)
  }

  // MARK: Counts

  /// Counts what is in a collection; who asks meanwhile costs nothing more.
  func counted(_ collection: StoredCollection) async throws(RelayError) -> Counted {
    if let found, found.id == collection.id { return found }
    if collection.rule == nil, let count = counts[collection.id] {
      return Counted(id: collection.id, count: count)
    }
    let key = "\(version) \(collection.id)"
    let counting =
      counting[key]
      ?? Task {
        do throws(RelayError) {
          var expansion = Expansion()
          return .success(try await makeCount(of: collection, &expansion))
        } catch {
          return .failure(error)
        }
      }
    self.counting[key] = counting
    defer { self.counting[key] = nil }
    return try await counting.value.get()
  }

  private func makeCount(
    of collection: StoredCollection, _ expansion: inout Expansion
  ) async throws(RelayError) -> Counted {
    let (began, files) = (version, index.files)
    if expansion.version != began {
      expansion = Expansion()
      expansion.version = began
    }
    expansion.hasRules = false
    let tracks = try await tracks(in: collection.id, &expansion)
    // Very many tracks are looked up elsewhere.
    let count = await Blocking.run {
      tracks.reduce(into: CollectionCount(tracks: tracks.count)) { count, key in
        if let file = files[key] { count.seconds += file.heardSeconds } else { count.missing += 1 }
      }
    }
    let counted = Counted(
      id: collection.id, count: count, tracks: collection.rule == nil ? nil : tracks)
    guard began == version else { return counted }
    counts[collection.id] = count
    if counted.tracks != nil { found = counted }
    if expansion.hasRules { forgetLater(collection.id) }
    return counted
  }

  private func forgetLater(_ id: String) {
    let version = version
    Task { [weak self] in
      try? await Task.sleep(for: .seconds(Self.keptSeconds))
      await self?.forget(id, of: version)
    }
  }

  private func forget(_ id: String, of version: Int) {
    guard version == self.version else { return }
    counts[id] = nil
    if found?.id == id { found = nil }
  }

  // MARK: Views

  func view(
    _ found: StoredCollection, _ count: CollectionCount, _ uses: CollectionUses
  ) -> CollectionView {
    CollectionView(
      id: found.id, name: found.name,
      rule: found.rule.flatMap { JSON.parse(Array($0.utf8)) }, tracks: count.tracks,
      seconds: count.seconds, missing: count.missing, changed: found.changed,
      usedBy: uses.stations(playing: found.id))
  }

  private func views(of members: [StoredMember]) async throws(RelayError) -> [MemberView] {
    var known: Set<String> = []
    if members.contains(where: { if case .collection = $0.content { true } else { false } }) {
      known = Set(try await RelayError.attempt { try await store.collections() }.map(\.id))
    }
    // Very many tracks are looked up elsewhere.
    return await Blocking.run { [files = index.files, known] in
      members.map { MemberView($0, files, collections: known) }
    }
  }
}

extension MemberView {
  /// - Parameter collections: those that there are.
  fileprivate init(
    _ member: StoredMember, _ files: MusicIndex.Tracks, collections: Set<String>
  ) {
    self.init(
      id: member.id, title: member.title, artist: member.artist, path: member.path, state: .ok)
    switch member.content {
    case .track(let key):
      let file = files[key]
      track = TrackView(key: key, file: file)
      if let file {
        (title, artist, path) = (file.title, file.artist, file.absolutePath)
      } else {
        state = .missing
      }
    case .collection(let child):
      collection = child
      if !collections.contains(child) { state = .missing }
    case .url(let url): self.url = url
    }
  }
}
