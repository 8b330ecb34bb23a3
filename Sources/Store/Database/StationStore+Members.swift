import Foundation
import GRDB
import Synchronization
import Wire

/// A page of a list's members, in their order.
package struct MemberPage: Sendable {
  package var members: [StoredMember]
  /// The last member, behind which the next page begins; nil where no more follow.
  package var next: MemberPlace?
}

/// Where a member stands in its list.
package struct MemberPlace: Hashable, Sendable {
  package var place: Double
  package var id: Int64
}

// Members of lists. Memory is one queue, so nobody has it for longer than a page takes.
extension StationStore {
  /// Members that are read at once.
  static let pageMax = 1000

  /// Returns a page of a list's members; nil where there is no such member as it begins behind.
  ///
  /// - Parameter stood: where that member stood, which counts if it was taken out.
  package func members(
    of id: String, after: Int64?, standing stood: Double? = nil, limit: Int
  ) async throws(StoreError) -> MemberPage? {
    try await read("read the members of \(id)") { db -> MemberPage? in
      var place: MemberPlace?
      if let after {
        // It may have been moved since.
        guard let found = try stood ?? MemberTable.place(of: after, in: id, db) else { return nil }
        place = MemberPlace(place: found, id: after)
      }
      let limit = max(1, min(limit, Self.pageMax))
      var rows = try MemberTable.rows(of: id, behind: place, limit: limit + 1, db)
      let hasMore = rows.count > limit
      if hasMore { rows.removeLast() }
      return MemberPage(
        members: rows.compactMap(\.member), next: hasMore ? rows.last?.place : nil)
    }
  }

  /// Returns all members of a list in their order.
  ///
  /// - Parameter hasNames: whether they are to have more than ids and contents, which costs several times as much.
  package func members(
    of id: String, hasNames: Bool = true
  ) async throws(StoreError) -> [StoredMember] {
    // One that changes all the time is read at once in the end.
    for pieces in [Self.pageMax, Self.pageMax, Self.pageMax, .max] {
      if let all = try await members(of: id, hasNames, inPiecesOf: pieces) { return all }
    }
    return []
  }

  /// Returns nil where the list has changed between two pieces.
  private func members(
    of id: String, _ hasNames: Bool, inPiecesOf count: Int
  ) async throws(StoreError) -> [StoredMember]? {
    var (all, place): ([StoredMember], MemberPlace?) = ([], nil)
    let began = collectionChanges.load(ordering: .relaxed)
    while true {
      let behind = place
      // Counted where changes are made, in the queue of memory.
      let rows = try await read("read the members of \(id)") { [self] db -> [MemberTable.Found]? in
        if behind != nil, collectionChanges.load(ordering: .relaxed) != began { return nil }
        return try MemberTable.rows(of: id, behind: behind, limit: count, hasNames: hasNames, db)
      }
      guard let rows else { return nil }
      all += rows.compactMap(\.member)
      guard rows.count == count, let last = rows.last else { return all }
      place = last.place
    }
  }
}
