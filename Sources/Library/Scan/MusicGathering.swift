import Media
import Timeshift

/// What one look finds, beside what was known.
final class MusicGathering {
  /// What became of a file that was known.
  private enum Fate: UInt8 {
    case unseen
    /// It is as it was, or waits until it is no more written to.
    case stays
    /// It is read anew.
    case changed
    case gone
  }

  let top: RootPlace
  /// Files to be read, in the order of their paths.
  private(set) var changed: [MediaFolder.Found] = []
  private(set) var looked = 0
  /// Whether nobody waits for it any more.
  private(set) var hasEnded = false
  /// Number of folders that could not be read to their end.
  private(set) var failures = 0
  private var unsettled: Set<[UInt8]> = []
  private var (knew, same) = (0, 0)
  private let scan: MusicScan
  private let known: MusicFolder
  private var files: [Fate]
  private var refused: [Fate]
  /// Folders that were looked through; noted for a look at parts.
  private var walked: Set<[UInt8]> = []
  /// Folders in which a picture lies.
  private var covered: Set<[UInt8]> = []
  private let isPartial: Bool
  private var now = Moment.now().wall

  init(_ scan: MusicScan, _ top: RootPlace, isPartial: Bool) {
    (self.scan, self.top, known, self.isPartial) = (scan, top, scan.known, isPartial)
    files = Array(repeating: .unseen, count: known.files.count)
    refused = Array(repeating: .unseen, count: known.refused.count)
  }

  func hasWalked(_ folder: [UInt8]) -> Bool { walked.contains(folder) }

  // MARK: Walking

  /// Looks through a folder, and through those in it for which `descends` is true.
  func walk(
    _ folder: [UInt8], until end: Int64 = .max, most: Int = MusicScan.filesMax,
    descends: @escaping (_ folder: [UInt8]) -> Bool
  ) {
    if top.isFile { return take([], top.identity) }
    let descriptor: Int32
    do throws(RootPlace.Failure) {
      descriptor = try top.folder(folder)
    } catch {
      if error.isOfAbsence { return settle(folder, []) }
      failures += 1
      unsettled.insert(folder)
      return
    }
    // Folders in this one that are there, and were not looked into.
    var passed: Set<[UInt8]> = []
    var walk = FolderWalk(
      seenMax: MusicScan.namesMax, depthMax: MusicScan.depthMax, hidden: scan.hidden, until: end,
      isWanted: MusicScan.isWanted
    ) { [unowned self] path in
      // In a folder that is new, everything is.
      let isDirect = path != folder && path.lastIndex(of: PathOrder.slash) ?? 0 == folder.count
      if isDirect, !descends(path) {
        passed.insert(path)
        return false
      }
      if isPartial { walked.insert(path) }
      scan.enter(path)
      return true
    } take: { [unowned self] path, identity in
      let folder = PathOrder.folder(of: path)
      if CoverNames.has(path.dropFirst(folder.isEmpty ? 0 : folder.count + 1)) {
        if (1...CoverNames.bytesMax).contains(identity.bytes) { covered.insert(folder) }
        return true
      }
      take(path, identity)
      return looked < most && !hasEnded
    }
    let real = top.real.map {
      folder.isEmpty ? $0 : $0 + "/" + String(decoding: folder, as: UTF8.self)
    }
    walk.walk(descriptor, folder, real: real)
    failures += walk.failures + (walk.isOver ? 1 : 0)
    if walk.failures == 0, !walk.isOver { settle(folder, passed) }
  }

  /// What was known in a folder and was not found in it is gone.
  private func settle(_ folder: [UInt8], _ passed: Set<[UInt8]>) {
    func fate(of path: [UInt8], _ fate: Fate) -> Fate {
      guard fate == .unseen else { return fate }
      if passed.isEmpty { return .gone }
      let start = folder.isEmpty ? 0 : folder.count + 1
      guard let end = path[start...].firstIndex(of: PathOrder.slash) else { return .gone }
      return passed.contains(Array(path[..<end])) ? .unseen : .gone
    }
    for place in known.files.places(below: folder) {
      files[place] = fate(of: known.files.entries[place].file.path, files[place])
    }
    for (place, one) in known.refused.enumerated() where PathOrder.isBelow(one.path, folder) {
      refused[place] = fate(of: one.path, refused[place])
    }
  }

  func take(_ path: [UInt8], _ identity: MediaFile.Identity) {
    looked += 1
    if !scan.goesOn(looked) { hasEnded = true }
    let place = known.files.place(of: path)
    let other = place == nil ? known.refusedPlace(of: path) : nil
    if let place {
      let file = known.files.entries[place].file
      if file.identity.bytes == identity.bytes { same += 1 }
      if file.identity == identity, file.isRead { return files[place] = .stays }
    } else if let other {
      let file = known.refused[other]
      if file.identity.bytes == identity.bytes { same += 1 }
      if file.identity == identity, !file.isTriedAgain { return refused[other] = .stays }
    }
    if isNew(identity) { return wait(for: path) }
    if let place { files[place] = .changed }
    if let other { refused[other] = .changed }
    changed.append(.init(path: path, identity: identity))
  }

  /// Whether a file was written to a moment ago. One from the future has no age: its server's clock is another.
  private func isNew(_ identity: MediaFile.Identity) -> Bool {
    let modified = WallTime(nanoseconds: identity.modified)
    if now.seconds(since: modified) >= MusicScan.settleSeconds { return false }
    now = Moment.now().wall
    return (0..<MusicScan.settleSeconds).contains(now.seconds(since: modified))
  }

  /// Puts the files to be read in their order.
  func sort() { changed.sort { PathOrder.precedes($0.path, $1.path) } }

  /// Leaves out all but the first files.
  ///
  /// - Returns: whether none is left out.
  func keepFirst(_ count: Int) -> Bool {
    sort()
    defer { changed = Array(changed.prefix(count)) }
    return changed.count <= count
  }

  // MARK: What reading has shown

  /// A file is being written: what was known of it stays until the next look.
  func wait(for path: [UInt8]) {
    keep(path)
    unsettled.insert(PathOrder.folder(of: path))
  }

  /// What was known of a file stays.
  func keep(_ path: [UInt8]) { set(path, .stays) }

  /// A file is not there any more.
  func leave(_ path: [UInt8]) { set(path, .gone) }

  private func set(_ path: [UInt8], _ fate: Fate) {
    if let place = known.files.place(of: path) {
      files[place] = fate
    } else if let place = known.refusedPlace(of: path) {
      refused[place] = fate
    }
  }

  /// Returns what is known now.
  ///
  /// - Parameter read: what was read.
  func merged(_ read: MusicFolder) -> MusicFolder {
    var folder = known
    func stays(_ fate: Fate) -> Bool { fate == .stays || fate == .unseen }
    if !files.allSatisfy(stays) {
      folder.files.entries = zip(known.files.entries, files).filter { stays($1) }.map(\.0)
    }
    if !refused.allSatisfy(stays) {
      folder.refused = zip(known.refused, refused).filter { stays($1) }.map(\.0)
    }
    if !read.files.isEmpty {
      folder.files.entries += read.files.entries
      folder.files.sort()
    }
    folder.files.setCovers(cover)
    // What is tried again has its old place, too.
    let new = read.refused.filter { known.files.place(of: $0.path) == nil || !$0.isTriedAgain }
    if !new.isEmpty {
      let paths = Set(new.map(\.path))
      folder.refused.removeAll { paths.contains($0.path) }
      folder.refused += new
      folder.refused.sort { PathOrder.precedes($0.path, $1.path) }
    }
    return folder
  }

  /// Whether a picture lies in a folder; nil where that was not looked at.
  private func cover(in folder: [UInt8]) -> Bool? {
    if covered.contains(folder) { return true }
    let isKnown = failures == 0 && (isPartial ? walked.contains(folder) : true)
    return isKnown ? false : nil
  }

  func count(in look: inout MusicLook) {
    let all = files + refused
    look.looked = looked
    look.gone = all.count { $0 == .gone }
    look.changed =
      files.indices.count { place in
        guard files[place] == .changed else { return false }
        let (file, new) = (known.files[place], look.folder.files)
        return new.place(of: file.path).map { new[$0] != file } ?? true
      }
      + refused.indices.count { place in
        guard refused[place] == .changed else { return false }
        let (file, new) = (known.refused[place], look.folder)
        return new.refusedPlace(of: file.path).map { new.refused[$0] != file } ?? true
      }
    let now = look.folder.files.count + look.folder.refused.count
    look.added = max(0, now - all.count + look.gone)
    (look.knew, look.same) = (all.count, same)
    look.unsettled = unsettled
  }
}

extension MusicFolder {
  /// Returns the place of a file that cannot be played; nil without one.
  func refusedPlace(of path: [UInt8]) -> Int? {
    var (low, high) = (0, refused.count)
    while low < high {
      let middle = (low + high) / 2
      if PathOrder.precedes(refused[middle].path, path) { low = middle + 1 } else { high = middle }
    }
    return low < refused.count && refused[low].path == path ? low : nil
  }
}
