import Library
import Settings
import Store
import Threads
import Wire

// Lists in and out.
extension CollectionDesk {
  /// The kinds of lists that are written.
  public enum Format: String, CaseIterable, Sendable {
    case m3u8, xspf
    /// The collection as the API shows it, with all members.
    case json
  }

  /// How paths are written.
  public enum Paths: String, CaseIterable, Sendable {
    /// From the folder of the list on.
    case relative
    case absolute
    /// As `file` URIs.
    case url
  }

  /// Adds the tracks of a list, as far as they are in the library.
  ///
  /// - Parameters:
  ///   - name: the list's name, which tells its kind where its content does not.
  ///   - base: the folder from which relative paths count.
  public func importList(
    _ bytes: [UInt8], name: String = "", base: String? = nil, to id: String
  ) async throws(RelayError) -> CollectionImport {
    try await makeFavourites(id)
    _ = try await required(id)
    let list: TrackList
    do throws(TrackListProblem) {
      list = try TrackList(bytes, name: name)
    } catch {
      throw RelayError.badList("The list \(error).")
    }
    await awaitMusic()
    let (files, match) = (index.files, await listMatch())
    // Costs more than an actor may take from others.
    let found = await Blocking.run {
      () -> (members: [StoredMember], missing: [CollectionImport.Missing]) in
      let base = base.map { Array($0.utf8) }
      var (members, missing): ([StoredMember], [CollectionImport.Missing]) = ([], [])
      for entry in list.entries {
        func miss(_ reason: String) {
          missing.append(.init(line: entry.line, text: entry.shown, reason: reason))
        }
        switch match.answer(to: entry, base: base) {
        case .track(let key):
          if let file = files[key] {
            members.append(StoredMember(file))
          } else {
            miss("is no track of the library any more")
          }
        case .url(let url) where NewMembers.isURL(url):
          members.append(StoredMember(.url(url), title: entry.title))
        case .url: miss("is no http or https URL")
        case .none(let reason): miss(reason)
        }
      }
      return (members, missing + CollectionImport.Missing.all(of: list))
    }
    try await store(found.members, in: id)
    tellChangeSoon()
    return CollectionImport(
      added: found.members.count, missing: found.missing.sorted { $0.line < $1.line })
  }

  /// Seconds for which what finds tracks is kept behind a piece of a list.
  private static let matchSeconds = 10.0

  /// What finds the tracks of lists. To make it costs more than to ask it: all names of the music are put in order, and a
  /// long list comes in many pieces.
  private func listMatch() async -> ListMatch {
    let making =
      match ?? Task { [folders] in await Blocking.run { MusicIndex.match(folders) } }
    match = making
    pieces += 1
    Task { [weak self, pieces] in
      try? await Task.sleep(for: .seconds(Self.matchSeconds))
      await self?.forgetMatch(behind: pieces)
    }
    return await making.value
  }

  private func forgetMatch(behind piece: Int) { if piece == pieces { match = nil } }

  /// Writes the tracks of a collection as a list.
  ///
  /// - Parameter base: the folder of the list, from which relative paths count; not given: the files' own roots.
  public func export(
    _ id: String, as format: Format = .m3u8, paths: Paths = .relative, base: String? = nil
  ) async throws(RelayError) -> [UInt8] {
    if format == .json {
      let view = try await show(id, upTo: nil)
      return await Blocking.run { view.json.bytes + [UInt8(ascii: "\n")] }
    }
    let stored = try await required(id)
    let members = try await expanded(id)
    // Very many tracks are looked up elsewhere.
    return await Blocking.run { [files = index.files] in
      let entries = members.compactMap { Self.entry(of: $0, files, paths, base) }
      return format == .xspf
        ? TrackList.xspf(entries, title: stored.name ?? id) : TrackList.m3u(entries)
    }
  }

  /// What a list has of a member; nil of one of which no place is known.
  private static func entry(
    of member: StoredMember, _ files: MusicIndex.Tracks, _ paths: Paths, _ base: String?
  ) -> TrackListEntry? {
    if case .url(let url) = member.content { return TrackListEntry(.url(url), title: member.title) }
    let file = member.track.flatMap { files[$0] }
    guard let path = file?.absolutePath ?? member.path, !path.isEmpty else { return nil }
    let place: TrackListEntry.Place
    switch paths {
    case .absolute: place = .path(path)
    case .url: place = .url("file://" + PercentEncoding.path(path))
    case .relative:
      let folder = base ?? file?.root
      place = .path(
        folder.map { PathText.relative(path, to: PathText.resolved(Array($0.utf8), in: [])) }
          ?? path)
    }
    return TrackListEntry(
      place, title: file?.title ?? member.title, artist: file?.artist ?? member.artist,
      seconds: file?.heardSeconds ?? member.seconds)
  }
}

extension CollectionImport.Missing {
  /// What a list has in place of entries.
  fileprivate static func all(of list: TrackList) -> [Self] {
    list.faults.map { Self(line: $0.line, text: $0.text, reason: $0.reason) }
  }
}
