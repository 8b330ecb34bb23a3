import Foundation
import GRDB
import Wire

/// The rows of lists' members.
enum MemberTable {
  /// A row, whose member is nil where it is damaged.
  struct Found: Sendable {
    var place: MemberPlace
    var member: StoredMember?
  }

  private static let keys = "id, place, track, child, url"
  private static let names = ", title, artist, seconds, path"

  /// Returns where a member stands; nil where it does not.
  static func place(of member: Int64, in id: String, _ db: Database) throws -> Double? {
    try Row.fetchOne(
      db, sql: "SELECT place FROM member WHERE id = ? AND collection = ?", arguments: [member, id]
    ).map { Double.fromDatabaseValue($0.value("place")) ?? 0 }
  }

  /// - Parameter behind: nil: from the first one on.
  static func rows(
    of id: String, behind: MemberPlace?, limit: Int, hasNames: Bool = true, _ db: Database
  ) throws -> [Found] {
    let sql = """
      SELECT \(keys)\(hasNames ? names : "") FROM member
      WHERE collection = ?\(behind == nil ? "" : " AND (place, id) > (?, ?)")
      ORDER BY place, id LIMIT ?
      """
    let begin: StatementArguments = behind.map { [$0.place, $0.id] } ?? []
    return try rows(sql, [id] + begin + [limit], hasNames, db)
  }

  private static func rows(
    _ sql: String, _ arguments: StatementArguments, _ hasNames: Bool, _ db: Database
  ) throws -> [Found] {
    let cursor = try Row.fetchCursor(db, sql: sql, arguments: arguments)
    var rows: [Found] = []
    while let row = try cursor.next() {
      guard let id = Int64.fromDatabaseValue(row[0]) else { continue }
      let place = MemberPlace(place: Double.fromDatabaseValue(row[1]) ?? 0, id: id)
      var member = content(row).map { StoredMember(id: id, $0) }
      if hasNames {
        member?.title = String.fromDatabaseValue(row[5])
        member?.artist = String.fromDatabaseValue(row[6])
        member?.seconds = Double.fromDatabaseValue(row[7])
        member?.path = Data.fromDatabaseValue(row[8]).map(Array.init)
      }
      rows.append(Found(place: place, member: member))
    }
    return rows
  }

  private static func content(_ row: Row) -> StoredMember.Content? {
    if let key = Data.fromDatabaseValue(row[2]).flatMap({ TrackKey(bytes: $0) }) {
      return .track(key)
    }
    if let child = String.fromDatabaseValue(row[3]) { return .collection(child) }
    return String.fromDatabaseValue(row[4]).map { .url($0) }
  }
}
