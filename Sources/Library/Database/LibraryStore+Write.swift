import Foundation
import GRDB
import Media
import Timeshift
import Wire

// What a look has found, written as its difference from what was known.
extension LibraryStore {
  /// Writes what a root has. Files that have not changed since the last call cost no write.
  ///
  /// - Parameters:
  ///   - name: the id of the root.
  ///   - now: when it was looked through.
  ///   - goesOn: asked before each transaction; false ends it.
  public func write(
    _ folder: MusicFolder, as name: String, now: WallTime = Moment.now().wall,
    goesOn: () -> Bool = { true }
  ) throws(LibraryError) -> LibraryChange {
    guard folder.problem == nil else { return LibraryChange() }
    let (root, isFirst) = try root(name)
    var change = LibraryChange()
    let (files, refused) = (folder.files, folder.refused)
    func write(_ edits: [PathMerge.Edit]) throws(LibraryError) {
      guard goesOn() else { throw LibraryError("the relay ends") }
      try self.write { db in
        var writer = LibraryWriter(db, root: root, now: now, isFirst: isFirst)
        for edit in edits {
          switch edit {
          case .add(let index):
            try writer.put(files[index], former: nil)
            change.added += 1
          case .change(let index, let row):
            try writer.put(files[index], former: (row.id, row.track))
            change.changed += 1
          case .gone(let row):
            if let reason = folder.refusedPlace(of: row.path).map({ refused[$0].reason }) {
              if row.failed != reason { try writer.fail(row.id, reason) }
            } else if folder.isWhole {
              try writer.lose(row.id, of: row.track)
              change.gone += 1
            }
          }
        }
        try writer.finish()
      }
    }
    try PathMerge.run(
      count: files.count, path: { files[$0].path }, mark: { FileMark.of(files[$0]) },
      rows: { (last) throws(LibraryError) in
        try self.read { try Self.files(of: root, behind: last, in: $0) }
      }, write)
    try writeProblems(refused, of: root, isWhole: folder.isWhole)
    if folder.isWhole {
      try dropMoved(root, now: now)
      try self.write { db in
        try db.execute(
          sql: "UPDATE root SET scanned = ?, path = ? WHERE id = ?",
          arguments: [now.unixSeconds, folder.root, root])
      }
    }
    return change
  }

  /// Returns the number of a root, and whether it was never looked through as a whole.
  func root(_ name: String) throws(LibraryError) -> (Int64, isFirst: Bool) {
    try write { db in
      try db.execute(sql: "INSERT OR IGNORE INTO root(name) VALUES (?)", arguments: [name])
      let row = try Row.fetchOne(
        db, sql: "SELECT id, scanned FROM root WHERE name = ?", arguments: [name])
      return (row?.integer("id") ?? 0, row?.integer("scanned") == nil)
    }
  }

  private static func files(
    of root: Int64, behind last: [UInt8]?, in db: Database
  ) throws -> [PathMerge.Row] {
    let behind = last == nil ? "" : "AND path > ?"
    let statement = try db.cachedStatement(
      sql: """
        SELECT id, path, track, mark, failed FROM file
        WHERE root = ? AND missingSince IS NULL \(behind) ORDER BY path LIMIT \(batch)
        """)
    var values: [any DatabaseValueConvertible] = [root]
    if let last { values.append(Data(last)) }
    return try Row.fetchAll(statement, arguments: StatementArguments(values)).map { row in
      let failed = row.text("failed")
      return PathMerge.Row(
        path: row.bytes("path") ?? [], id: row.integer("id") ?? 0,
        track: row.integer("track") ?? 0, mark: failed == nil ? row.integer("mark") : nil,
        failed: failed)
    }
  }

  // MARK: Problems

  private func writeProblems(
    _ refused: [MusicFolder.Refused], of root: Int64, isWhole: Bool
  ) throws(LibraryError) {
    try PathMerge.run(
      count: refused.count, path: { refused[$0].path }, mark: { FileMark.of(refused[$0]) },
      rows: { (last) throws(LibraryError) in
        try self.read { try Self.problems(of: root, behind: last, in: $0) }
      }
    ) { (edits) throws(LibraryError) in
      try self.write { db in
        for edit in edits {
          switch edit {
          case .add(let index), .change(let index, _):
            let found = refused[index]
            try db.cachedStatement(
              sql: "INSERT OR REPLACE INTO problem VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            ).execute(arguments: [
              root, Data(found.path), LibraryWriter.stored(found.identity.bytes),
              found.identity.modified, LibraryWriter.stored(found.identity.inode),
              LibraryWriter.stored(found.identity.device), FileMark.of(found), found.reason,
              found.isTriedAgain,
            ])
          case .gone(let row):
            if !isWhole { continue }
            try db.execute(
              sql: "DELETE FROM problem WHERE root = ? AND path = ?",
              arguments: [root, Data(row.path)])
          }
        }
      }
    }
  }

  private static func problems(
    of root: Int64, behind last: [UInt8]?, in db: Database
  ) throws -> [PathMerge.Row] {
    let behind = last == nil ? "" : "AND path > ?"
    let statement = try db.cachedStatement(
      sql: """
        SELECT path, mark FROM problem WHERE root = ? \(behind) ORDER BY path LIMIT \(batch)
        """)
    var values: [any DatabaseValueConvertible] = [root]
    if let last { values.append(Data(last)) }
    return try Row.fetchAll(statement, arguments: StatementArguments(values)).map { row in
      PathMerge.Row(path: row.bytes("path") ?? [], mark: row.integer("mark"))
    }
  }

  // MARK: What is gone

  /// Deletes files that are gone, of whatever root, while another file of their track is there: they were moved.
  private func dropMoved(_ root: Int64, now: WallTime) throws(LibraryError) {
    while true {
      let isDone = try write { db in
        let rows = try Row.fetchAll(
          db,
          sql: """
            SELECT id, track FROM file WHERE missingSince IS NOT NULL AND EXISTS (
              SELECT 1 FROM file AS other WHERE other.track = file.track AND other.missingSince IS NULL)
            LIMIT \(Self.batch)
            """)
        var writer = LibraryWriter(db, root: root, now: now)
        for row in rows {
          try writer.drop(row.integer("id") ?? 0, of: row.integer("track") ?? 0)
        }
        try writer.finish()
        return rows.count < Self.batch
      }
      if isDone { return }
    }
  }

  /// Notes that all files of roots are gone that nobody names any more.
  public func leave(
    rootsBut names: Set<String>, now: WallTime = Moment.now().wall
  ) throws(LibraryError) {
    let roots = try read { db in try Row.fetchAll(db, sql: "SELECT id, name FROM root") }
    for row in roots {
      guard let name = row.text("name"), !names.contains(name) else { continue }
      _ = try write(MusicFolder("", isWhole: true), as: name, now: now)
    }
  }

  /// Deletes files that have been gone since before a time, and tracks that have no file left.
  ///
  /// - Parameter kept: which of some tracks somebody holds, as a collection does. They and their files stay.
  public func drop(
    missingBefore time: WallTime, kept: ([TrackKey]) -> Set<TrackKey> = { _ in [] }
  ) throws(LibraryError) {
    var last: Int64 = 0
    while true {
      let from = last
      let next: Int64? = try write { db in
        let rows = try Row.fetchAll(
          db,
          sql: """
            SELECT file.id, track, key FROM file JOIN track ON track.id = file.track
            WHERE missingSince < ? AND file.id > ? ORDER BY file.id LIMIT \(Self.batch)
            """, arguments: [time.unixSeconds, from])
        let keys = rows.compactMap { TrackKey(bytes: $0.bytes("key") ?? []) }
        let kept = kept(keys)
        var writer = LibraryWriter(db, root: 0, now: time)
        for row in rows {
          guard let key = TrackKey(bytes: row.bytes("key") ?? []), !kept.contains(key),
            let track = row.integer("track")
          else { continue }
          try writer.drop(row.integer("id") ?? 0, of: track)
          let isLast =
            try Row.fetchOne(db, sql: "SELECT 1 FROM file WHERE track = ?", arguments: [track])
            == nil
          if isLast { try writer.drop(track: track) }
        }
        try writer.finish()
        return rows.count < Self.batch ? nil : rows.last?.integer("id")
      }
      guard let next else { return }
      last = next
    }
  }
}
