import Glibc

/// The files of segments that could not be believed. They are kept for inspection, but not without limit.
struct SetAside {
  let directory: String
  let files: FileCalls

  static let ending = ".bad"
  /// The most files kept, those of 100 segments: a disk that spoils one a day is looked at before that.
  static let filesMax = 200

  /// The position in a set-aside file's name; nil for any other name.
  static func position(of name: String) -> UInt64? {
    guard name.hasSuffix(ending) else { return nil }
    return SegmentFormat.parse(name: String(name.dropLast(ending.utf8.count)))?.position
  }

  /// Deletes the oldest files while there are more than `filesMax`, or they have more than `bytesMax` bytes. Blocks.
  ///
  /// - Parameter fresh: the segments set aside just now. They stay, since they have not been reported yet.
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

extension SegmentFile {
  /// Renames the files, so that they are never believed again.
  func putAside(_ files: FileCalls) {
    for path in [indexPath, audioPath] { _ = files.rename(path, path + SetAside.ending) }
  }
}
