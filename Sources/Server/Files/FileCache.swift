import Media
import Timeshift

/// Facts and indexes of files that are remembered, by the identity of their content, within a number of bytes.
struct FileCache {
  /// Result of a look at a file's first packets.
  enum Look {
    /// The file has not been looked at.
    case none
    case noAudio
    case audio(MediaFacts)
  }

  private struct Known {
    var look = Look.none
    var index: MediaIndex?
    /// The file, while it is open.
    weak var file: MediaFile?
    /// Moves with every use.
    var used: UInt64
    var bytes: Int { (index?.bytes ?? 0) + 256 }
  }

  private var known: [MediaFile.Identity: Known] = [:]
  private var clock: UInt64 = 0
  private(set) var bytes = 0
  private let bytesMax: Int

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  mutating func look(_ file: MediaFile.Identity) -> Look {
    touch(file)
    return known[file]?.look ?? .none
  }

  mutating func index(_ file: MediaFile.Identity) -> MediaIndex? {
    touch(file)
    return known[file]?.index
  }

  /// Returns the file as it is open already, so that it is open once for all its listeners.
  mutating func shared(_ file: MediaFile) -> MediaFile {
    if let open = known[file.identity]?.file { return open }
    known[file.identity]?.file = file
    return file
  }

  /// Returns what is known of a file, without counting as a use.
  func peek(_ file: MediaFile.Identity) -> (facts: MediaFacts?, index: MediaIndex?) {
    guard case .audio(let facts)? = known[file]?.look else { return (nil, known[file]?.index) }
    return (facts, known[file]?.index)
  }

  mutating func set(_ facts: MediaFacts?, of file: MediaFile.Identity) {
    change(file) { $0.look = facts.map { .audio($0) } ?? .noAudio }
  }

  mutating func set(_ index: MediaIndex, of file: MediaFile.Identity) {
    change(file) { $0.index = index }
  }

  private mutating func touch(_ file: MediaFile.Identity) {
    clock += 1
    known[file]?.used = clock
  }

  private mutating func change(_ file: MediaFile.Identity, _ change: (inout Known) -> Void) {
    clock += 1
    var entry = known[file] ?? Known(used: clock)
    bytes -= known[file]?.bytes ?? 0
    change(&entry)
    known[file] = entry
    bytes += entry.bytes
    if bytes > bytesMax { makeRoom() }
  }

  /// Removes a quarter, the entries not used for longest first: a pass over all of them is worth that much.
  private mutating func makeRoom() {
    for (key, entry) in known.sorted(by: { $0.value.used < $1.value.used }) {
      if bytes <= bytesMax / 4 * 3 || known.count == 1 { return }
      bytes -= entry.bytes
      known[key] = nil
    }
  }
}
