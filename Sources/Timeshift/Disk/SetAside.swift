import Glibc

/// The files that recovery could not believe: kept for who wants to know what happened, but not without end.
struct SetAside {
  let directory: String
  let files: FileCalls

  static let ending = ".bad"
  /// 100 segments' worth: a disk that spoils one a day is looked at before that.
  static let filesMax = 200

  /// The place in the log that a name tells; nil: it is none of these.
  static func position(of name: String) -> UInt64? {
    guard name.hasSuffix(ending) else { return nil }
    return SegmentFormat.parse(name: String(name.dropLast(ending.utf8.count)))?.position
  }

  /// Deletes the oldest while they are more than `filesMax`, or have more than `bytesMax`. Blocks.
  ///
  /// - Parameter fresh: those set aside just now, which stay: nobody has been told of them yet.
  func remove(beyond bytesMax: UInt64, but fresh: Set<UInt64>) -> (files: Int, bytes: UInt64) {
    let found = files.list(directory).names.compactMap { name in
      Self.position(of: name).map { (name: name, position: $0) }
    }.filter { !fresh.contains($0.position) }
    let sizes = found.map { size($0.name) }
    var (left, total) = (found.count, sizes.reduce(0, +))
    var removed: (files: Int, bytes: UInt64) = (0, 0)
    for place in found.indices.sorted(by: { found[$0].position < found[$1].position }) {
      if left <= Self.filesMax, total <= bytesMax { break }
      left -= 1
      total -= sizes[place]
      guard files.remove(path(found[place].name)) >= 0 else { continue }
      removed.files += 1
      removed.bytes += sizes[place]
    }
    return removed
  }

  private func path(_ name: String) -> String { "\(directory)/\(name)" }

  private func size(_ name: String) -> UInt64 {
    guard let file = try? LogFile(path(name), O_RDONLY, files) else { return 0 }
    return (try? file.size()) ?? 0
  }
}
