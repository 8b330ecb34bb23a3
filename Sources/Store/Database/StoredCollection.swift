import Timeshift
import Wire

/// A collection as it is stored.
package struct StoredCollection: Hashable, Sendable {
  package var id: String
  /// What people call it; nil: its id.
  package var name: String?
  /// As JSON; nil of a list.
  package var rule: String?
  package var changed: WallTime

  package init(id: String, name: String?, rule: String?, changed: WallTime) {
    (self.id, self.name, self.rule, self.changed) = (id, name, rule, changed)
  }
}

/// A member of a list, and what it was when it was added, for when it is gone.
package struct StoredMember: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case track(TrackKey)
    /// Another collection.
    case collection(String)
    case url(String)
  }

  /// Never given twice; 0 of one that is not stored.
  package var id: Int64
  package var content: Content
  package var title: String?
  package var artist: String?
  package var seconds: Double?
  /// An absolute path.
  package var path: [UInt8]?

  package init(
    id: Int64 = 0, _ content: Content, title: String? = nil, artist: String? = nil,
    seconds: Double? = nil, path: [UInt8]? = nil
  ) {
    (self.id, self.content, self.title, self.artist) = (id, content, title, artist)
    (self.seconds, self.path) = (seconds, path)
  }

  /// Nil of a URL or another collection.
  package var track: TrackKey? { if case .track(let key) = content { key } else { nil } }
}

/// Why a change of collections is refused.
package enum CollectionRefusal: Error, Hashable, Sendable {
  case unknown(String)
  case exists(String)
  case unknownMember(Int64)
  /// A collection would be in itself; the way from it to itself.
  case circle([String])
  case tooDeep
  case tooManyMembers
  case tooManyCollections
}
