import Library
import Settings
import Store
import Timeshift
import Wire

/// A collection, as the API shows it.
public struct CollectionView: Sendable {
  public var id: String
  public var name: String?
  /// As JSON; nil of a list.
  public var rule: JSON?
  public var tracks: Int
  public var seconds: Double
  /// Tracks of it that are in no folder now.
  public var missing: Int
  public var changed: WallTime
  /// The stations that play it.
  public var usedBy: [String]
  /// A page of its members; nil in a listing.
  public var members: [MemberView]?
  /// What the next page begins behind.
  public var next: MemberMark?
}

/// A member of a collection, as the API shows it.
public struct MemberView: Sendable {
  public enum State: String, CaseIterable, Sendable, Shaped { case ok, missing }

  /// Of a rule's tracks, which have no ids, their place from 1.
  public var id: Int64
  public var track: TrackView?
  public var collection: String?
  public var url: String?
  public var title: String?
  public var artist: String?
  public var path: [UInt8]?
  public var state: State
}

/// A track of a folder, as the API shows it in a collection.
public struct TrackView: Sendable {
  public var key: TrackKey
  /// Nil of one that is in no folder now.
  public var file: MusicFile?
}

extension TrackView: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("track", \.key.description), Shape("title", { $0.file?.title }),
    Shape("artist", { $0.file?.artist }), Shape("album", { $0.file?.album }),
    Shape("year", { $0.file?.year }), Shape("seconds", { $0.file?.heardSeconds }),
    Shape("exact", { $0.file?.isExact }),
  ]
}

extension MemberView: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("member", \.id), Shape("track", \.track), Shape("collection", \.collection),
    Shape("url", \.url), Shape("title", \.title), Shape("artist", \.artist),
    Shape("path", { $0.path.map { String(decoding: $0, as: UTF8.self) } }),
    Shape("state", \.state),
  ]
}

extension CollectionView: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("collection", \.id), Shape("name", \.name),
    Shape("kind", Schema.words(["list", "rule"])) { $0.rule == nil ? "list" : "rule" },
    Shape("rule", Schema.known(["type": "object"])) { $0.rule ?? .null },
    Shape("tracks", \.tracks), Shape("seconds", \.seconds), Shape("missing", \.missing),
    Shape("changed", \.changed), Shape("usedBy", \.usedBy), Shape("members", \.members),
    Shape("next") { $0.next?.text },
  ]
}

/// What came of an imported list.
public struct CollectionImport: Sendable {
  public struct Missing: Sendable, ShapedObject {
    /// From 1; 0 where no line can be named.
    public var line: Int
    public var text: String
    public var reason: String

    package static let shape: [Shape<Self>] = [
      Shape("line", \.line), Shape("text", \.text), Shape("reason", \.reason),
    ]
  }

  public var added: Int
  public var missing: [Missing]
}

extension CollectionImport: ShapedObject {
  package static let shape: [Shape<Self>] = [Shape("added", \.added), Shape("missing", \.missing)]
}
