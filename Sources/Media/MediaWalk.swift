import Timeshift

/// Lists a folder and the folders below it, within bounds.
///
/// The walk ends however many names there are, and even if folders contain each other.
struct MediaWalk {
  /// The most files listed.
  var entriesMax = 10_000
  /// The most names looked at, wanted or not.
  var seenMax = 200_000
  /// The most bytes of all listed paths together.
  var pathBytesMax = 4 << 20
  var depthMax = 16

  private(set) var entries: [MediaFolder.Entry] = []
  /// The number of names looked at.
  private(set) var seen = 0
  private let hidden: PrivateFolder?
  /// The latest time for the walk, in monotonic nanoseconds.
  private let end: Int64

  init(hidden: PrivateFolder? = nil, until end: Int64 = .max) {
    (self.hidden, self.end) = (hidden, end)
  }

  /// Lists one folder and those below it. Takes over the descriptor.
  mutating func collect(_ folder: Int32, real: String?, _ isWanted: (String) -> Bool) {
    let (entriesMax, pathBytesMax) = (entriesMax, pathBytesMax)
    var (entries, pathBytes) = ([MediaFolder.Entry](), 0)
    withoutActuallyEscaping(isWanted) { isWanted in
      var walk = FolderWalk(seenMax: seenMax, depthMax: depthMax, hidden: hidden, until: end) {
        guard let name = String(validating: $0, as: UTF8.self), MediaFolder.isPlain(name) else {
          return false
        }
        return $1 || isWanted(name)
      } take: { path, identity in
        let text = String(decoding: path, as: UTF8.self)
        entries.append(.init(path: text, identity: identity))
        pathBytes += path.count
        return entries.count < entriesMax && pathBytes < pathBytesMax
      }
      walk.walk(folder, real: real)
      seen = walk.seen
    }
    self.entries = entries
  }
}
