import Library
import Settings
import Store
import Wire

// Lists in and out.
extension CollectionDesk {
  /// The kinds of lists that are written.
  public enum Format: String, CaseIterable, Sendable { case m3u8, xspf }

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
    let (folders, files) = (folders, index.files)
    // Costs more than an actor may take from others.
    let work = Task.detached {
      () -> (members: [StoredMember], missing: [CollectionImport.Missing]) in
      let match = MusicIndex.match(folders)
      let base = base.map { Array($0.utf8) }
      var (members, missing): ([StoredMember], [CollectionImport.Missing]) = ([], [])
      for entry in list.entries {
        switch match.answer(to: entry, base: base) {
        case .track(let key): if let file = files[key] { members.append(StoredMember(file)) }
        case .url(let url): members.append(StoredMember(.url(url), title: entry.title))
        case .none(let reason):
          missing.append(.init(line: entry.line, text: entry.shown, reason: reason))
        }
      }
      return (members, missing)
    }
    let found = await work.value
    try await add(found.members, to: id)
    return CollectionImport(added: found.members.count, missing: found.missing)
  }

  /// Writes the tracks of a collection as a list.
  ///
  /// - Parameter base: the folder of the list, from which relative paths count; not given: the files' own roots.
  public func export(
    _ id: String, as format: Format = .m3u8, paths: Paths = .relative, base: String? = nil
  ) async throws(RelayError) -> [UInt8] {
    let stored = try await required(id)
    var entries: [TrackListEntry] = []
    if stored.rule == nil {
      for member in try await members(of: id) {
        switch member.content {
        case .track(let key): entries.append(entry(of: key, member, paths, base))
        case .url(let url): entries.append(TrackListEntry(.url(url), title: member.title))
        case .collection(let child):
          entries += try await expanded(child).map { entry(of: $0, nil, paths, base) }
        }
      }
    } else {
      entries = try await expanded(id).map { entry(of: $0, nil, paths, base) }
    }
    return switch format {
    case .m3u8: TrackList.m3u(entries)
    case .xspf: TrackList.xspf(entries, title: stored.name ?? id)
    }
  }

  /// A path as it stands in a URL.
  private func escaped(_ path: [UInt8]) -> String {
    let kept = Set("/-._~".utf8)
    return path.map { byte in
      let scalar = Unicode.Scalar(byte)
      let isKept =
        kept.contains(byte)
        || byte < 0x80 && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      let digits = String(byte, radix: 16, uppercase: true)
      return isKept ? String(scalar) : "%" + (digits.utf8.count < 2 ? "0" : "") + digits
    }.joined()
  }

  private func entry(
    of key: TrackKey, _ member: StoredMember?, _ paths: Paths, _ base: String?
  ) -> TrackListEntry {
    let file = index.files[key]
    let path = file?.absolutePath ?? member?.path ?? []
    let place: TrackListEntry.Place
    switch paths {
    case .absolute: place = .path(path)
    case .url: place = .url("file://" + escaped(path))
    case .relative:
      let folder = base ?? file?.root
      place = .path(
        folder.map { PathText.relative(path, to: PathText.resolved(Array($0.utf8), in: [])) }
          ?? path)
    }
    return TrackListEntry(
      place, title: file?.title ?? member?.title, artist: file?.artist ?? member?.artist,
      seconds: file?.seconds ?? member?.seconds)
  }
}

extension TrackListEntry {
  /// Its place, for people.
  fileprivate var shown: String {
    switch place {
    case .path(let path): LogText.line(String(decoding: path, as: UTF8.self))
    case .url(let url): LogText.line(url)
    }
  }
}
