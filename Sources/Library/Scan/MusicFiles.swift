import Glibc

/// Files in the order of their paths. Copies, and what two looks have alike, share their files: eight bytes for each.
public struct MusicFiles: RandomAccessCollection, Hashable, Sendable {
  /// A file that is never changed.
  final class Entry: Sendable {
    let file: MusicFile

    init(_ file: MusicFile) { self.file = file }
  }

  var entries: [Entry] = []

  public init() {}

  public init(_ files: some Sequence<MusicFile>) {
    entries = files.map(Entry.init)
    sort()
  }

  /// Files in an order of their own, as often as they come: those of a list.
  init(inOrder files: some Sequence<MusicFile>) { entries = files.map(Entry.init) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { entries.count }
  public subscript(index: Int) -> MusicFile { entries[index].file }

  public static func == (one: MusicFiles, other: MusicFiles) -> Bool {
    one.entries.elementsEqual(other.entries) { $0 === $1 || $0.file == $1.file }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    hasher.combine(first)
  }

  /// Adds a file; the list is in order again when it has been sorted.
  mutating func append(_ file: MusicFile) { entries.append(Entry(file)) }

  mutating func sort() { entries.sort { PathOrder.precedes($0.file.path, $1.file.path) } }

  @discardableResult
  mutating func remove(at index: Int) -> MusicFile { entries.remove(at: index).file }

  /// Returns the place of the file with a path; nil without one.
  func place(of path: [UInt8]) -> Int? {
    let place = firstPlace(notBefore: path)
    return place < count && entries[place].file.path == path ? place : nil
  }

  /// Returns the places of all files below a folder.
  func places(below folder: [UInt8]) -> Range<Int> {
    if folder.isEmpty { return 0..<count }
    let first = firstPlace(notBefore: folder + [PathOrder.slash])
    return first..<Swift.max(first, firstPlace(notBefore: folder + [PathOrder.slash + 1]))
  }

  func below(_ folder: [UInt8]) -> MusicFiles {
    var part = MusicFiles()
    part.entries = Array(entries[places(below: folder)])
    return part
  }

  /// Says of each file whether a picture lies beside it.
  ///
  /// - Parameter cover: whether one lies in a folder; nil: what is known stays.
  mutating func setCovers(_ cover: (_ folder: [UInt8]) -> Bool?) {
    // Files of a folder stand one behind the other, but for those of folders in it.
    var (folder, found): ([UInt8]?, Bool?) = (nil, nil)
    for place in entries.indices {
      let file = entries[place].file
      let end = file.path.lastIndex(of: PathOrder.slash) ?? 0
      if folder?.elementsEqual(file.path[..<end]) != true {
        folder = PathOrder.folder(of: file.path)
        found = cover(folder ?? [])
      }
      guard let found, file.hasCover != found else { continue }
      var changed = file
      changed.hasCover = found
      entries[place] = Entry(changed)
    }
  }

  private func firstPlace(notBefore path: [UInt8]) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if PathOrder.precedes(entries[middle].file.path, path) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}

/// The order of paths: by their bytes.
enum PathOrder {
  static let slash = UInt8(ascii: "/")

  static func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let order = memcmp(one, other, min(one.count, other.count))
    return order == 0 ? one.count < other.count : order < 0
  }

  /// The folder in which a path lies; empty for the topmost.
  static func folder(of path: [UInt8]) -> [UInt8] {
    Array(path[..<(path.lastIndex(of: slash) ?? 0)])
  }

  static func isBelow(_ path: [UInt8], _ folder: [UInt8]) -> Bool {
    folder.isEmpty
      || path.count > folder.count && path[folder.count] == slash && path.starts(with: folder)
  }
}

/// Texts that many files have, such as an artist's name, kept once.
final class SharedTexts {
  private var known: [String: String] = [:]
  private var lists: [[String]: [String]] = [:]
  /// More different ones are not compared any more.
  private static let max = 100_000

  func share(_ file: inout MusicFile) {
    file.artist = shared(file.artist)
    file.album = shared(file.album)
    var details = file.details
    details.albumArtist = shared(details.albumArtist)
    details.label = shared(details.label)
    details.genres = shared(details.genres)
    file.details = details
  }

  /// The same names of genres stand in one list for all files that have them.
  private func shared(_ list: [String]) -> [String] {
    if let same = lists[list],
      same.elementsEqual(list, by: { $0.utf8.elementsEqual($1.utf8) })
    {
      return same
    }
    if lists.count < Self.max { lists[list] = list }
    return list
  }

  private func shared(_ text: String) -> String {
    // The shortest texts have no memory of their own.
    if text.utf8.count <= 15 { return text }
    // Equal to Swift are also texts of other bytes.
    if let same = known[text], same.utf8.elementsEqual(text.utf8) { return same }
    if known.count < Self.max { known[text] = text }
    return text
  }
}
