import Media
import Timeshift
import Wire

/// Which files a list may name.
public struct ListRights: Hashable, Sendable {
  /// Whether the list may name any file of this machine but the relay's own.
  public var isFree: Bool
  /// Folders besides the list's own whose files it may name.
  public var folders: [String]

  public init(isFree: Bool, folders: [String] = []) {
    (self.isFree, self.folders) = (isFree, folders)
  }
}

/// What a list and the lists in it name, in their order.
struct ListedFiles: Hashable, Sendable {
  struct Place: Hashable, Sendable {
    var root: String
    /// Below the root.
    var path: [UInt8]
  }

  /// A part of a file that an entry names, and what the list calls it.
  struct Part: Hashable, Sendable {
    var cue: TrackCue
    var title: String?
    var artist: String?
  }

  enum Entry: Hashable, Sendable {
    /// The places that the entry may mean, the likeliest first, and the part of the file; nil: all of it.
    case file([Place], line: String, Part? = nil)
    /// An entry that names nothing to be played; why, in words that follow the list's path.
    case left(String)
  }

  /// A list that was read.
  struct Text: Hashable, Sendable {
    var place: Place
    var identity: MediaFile.Identity
  }

  /// Lists in lists in lists.
  private static let depthMax = 8
  /// All of them together.
  private static let (listsMax, allBytesMax) = (1000, 4 * UInt64(TrackList.bytesMax))

  private(set) var entries: [Entry] = []
  /// The lists that were read; the outermost is the first.
  private(set) var texts: [Text] = []

  private let rights: ListRights
  private let hidden: PrivateFolder?
  /// The folders whose files may be named, resolved.
  private let folders: [(name: String, path: [UInt8])]
  private var known: [MediaFile.Identity: TrackList] = [:]
  /// The lists being read, outermost first.
  private var open: [MediaFile.Identity] = []
  /// Entries that were looked at.
  private var looked = 0
  private var bytesRead: UInt64 = 0

  static func == (one: ListedFiles, other: ListedFiles) -> Bool {
    one.entries == other.entries && one.texts == other.texts
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(entries)
    hasher.combine(texts)
  }

  /// Reads a list. Blocks.
  init(_ list: String, _ rights: ListRights, hidden: PrivateFolder?) throws(ListProblem) {
    (self.rights, self.hidden) = (rights, hidden)
    let own = PathText.resolved(Array(list.utf8), in: [])
    let folder = PathText.folder(of: own)
    var names = rights.folders
    // Where links lead, and not the text, says which folder is the list's own. Everything is below the root.
    let real = PrivateFolder.real(list).map { PathText.folder(of: Array($0.utf8)) }
    if let permitted = rights.isFree ? folder : real, permitted.count > 1 {
      names.insert(String(decoding: permitted, as: UTF8.self), at: 0)
    }
    names += names.compactMap { PrivateFolder.real($0) }
    folders = names.map { ($0, PathText.resolved(Array($0.utf8), in: [])) }
    try read(Place(root: list, path: []), named: "", in: folder)
    (known, open) = ([:], [])
  }

  private mutating func read(
    _ place: Place, named name: String, in folder: [UInt8]
  ) throws(ListProblem) {
    let (file, list) = try text(at: place)
    guard !open.contains(where: { $0.inode == file.inode && $0.device == file.device }) else {
      throw ListProblem("is in a circle of lists")
    }
    guard open.count < Self.depthMax else { throw ListProblem("is in too many lists") }
    open.append(file)
    defer { open.removeLast() }
    if !texts.contains(where: { $0.place == place }) {
      texts.append(Text(place: place, identity: file))
    }
    for entry in list.entries {
      looked += 1
      guard looked <= TrackList.entriesMax else {
        entries.append(
          .left("\(name)line \(entry.line): more than \(TrackList.entriesMax) entries"))
        return
      }
      add(entry, line: "\(name)line \(entry.line): ", in: folder)
    }
    for fault in list.faults {
      looked += 1
      guard looked <= TrackList.entriesMax else { break }
      let text = fault.text.isEmpty ? "" : LogText.line(fault.text) + " "
      entries.append(.left("\(name)line \(fault.line): \(text)\(fault.reason)"))
    }
    if list.isCut {
      entries.append(.left("\(name)has more than \(TrackList.entriesMax) entries"))
    }
  }

  private mutating func add(_ entry: TrackListEntry, line: String, in folder: [UInt8]) {
    func leave(_ reason: String) { entries.append(.left(line + reason)) }
    guard case .path(let written) = entry.place else {
      return leave("is an address, and addresses in lists are not played yet")
    }
    let shown = LogText.line(String(decoding: written, as: UTF8.self))
    let readings = entry.readings
    let all = readings.map { PathText.resolved($0, in: folder) }
    let places = all.compactMap(place)
    if places.isEmpty {
      return leave(
        readings.isEmpty
          ? "names no file"
          : "\(shown) lies outside of the list's folder, and of the folders that are open to it")
    }
    guard let last = readings.last,
      TrackList.Format(name: String(decoding: last, as: UTF8.self)) != nil
    else {
      let part = Self.part(of: entry)
      if entry.part != nil, part == nil { return leave("\(shown) has no such part") }
      return entries.append(.file(places, line: line + shown, part))
    }
    var problem = ListProblem("is not there")
    for place in places {
      let path = PathText.resolved(place.path, in: Array(place.root.utf8))
      do throws(ListProblem) {
        return try read(place, named: line + shown + ", ", in: PathText.folder(of: path))
      } catch {
        problem = error
        if !error.isOfPlace { break }
      }
    }
    leave("\(shown) \(problem.reason)")
  }

  private static func part(of entry: TrackListEntry) -> Part? {
    entry.part.flatMap { TrackCue(from: $0.begin, to: $0.end) }.map {
      Part(cue: $0, title: entry.title, artist: entry.artist)
    }
  }

  /// Where a resolved path is opened; nil where the list must not name it.
  private func place(of path: [UInt8]) -> Place? {
    for folder in folders {
      if let rest = PathText.below(folder.path, path) {
        return Place(root: folder.name, path: rest)
      }
    }
    guard rights.isFree else { return nil }
    // A root is text.
    var folder = PathText.folder(of: path)
    while String(validating: folder, as: UTF8.self) == nil { folder = PathText.folder(of: folder) }
    return PathText.below(folder, path).map {
      Place(root: String(decoding: folder, as: UTF8.self), path: $0)
    }
  }

  private mutating func text(
    at place: Place
  ) throws(ListProblem) -> (MediaFile.Identity, TrackList) {
    do {
      let file = try MediaFolder.open(bytes: place.path, in: place.root)
      if hidden?.holds(file.descriptor) == true { throw MediaFolder.Refusal.notFound }
      if let list = known[file.identity] { return (file.identity, list) }
      guard file.identity.bytes <= UInt64(TrackList.bytesMax) else {
        throw TrackListProblem.tooLarge
      }
      bytesRead += file.identity.bytes
      guard bytesRead <= Self.allBytesMax, texts.count < Self.listsMax else {
        throw ListProblem("is one of too many lists", isOfPlace: false)
      }
      let bytes = try file.piece(at: 0, count: TrackList.bytesMax)
      let path = place.path.isEmpty ? Array(place.root.utf8) : place.path
      let list = try TrackList(bytes, name: String(decoding: path, as: UTF8.self))
      known[file.identity] = list
      return (file.identity, list)
    } catch let problem as TrackListProblem {
      throw ListProblem("\(problem)", isOfPlace: false)
    } catch let problem as ListProblem {
      throw problem
    } catch let refusal as MediaFolder.Refusal {
      throw ListProblem("cannot be read: \(refusal.words)")
    } catch {
      throw ListProblem("cannot be read: \(error)")
    }
  }

  /// Whether the lists are as they were read. Blocks.
  var isCurrent: Bool {
    texts.allSatisfy { text in
      (try? MediaFolder.found(text.place.path, in: text.place.root))?.identity == text.identity
    }
  }
}

/// Why a list cannot be read, in words that follow its path.
struct ListProblem: Error, Hashable, Sendable {
  var reason: String
  /// Whether another place may have the list.
  var isOfPlace: Bool

  init(_ reason: String, isOfPlace: Bool = true) {
    (self.reason, self.isOfPlace) = (reason, isOfPlace)
  }
}
