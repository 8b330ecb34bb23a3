import Longwave
import Wire

/// The bodies of requests for collections.
enum CollectionBody {
  /// The most tracks, URLs and collections of one request.
  private static let itemsMax = 1000

  /// `{"collection", "name", "rule"}`
  static func new(
    _ json: JSON
  ) throws(APIError) -> (id: String, name: String?, rule: String?) {
    try APIError.requireKnown(json, ["collection", "name", "rule"])
    guard let id = try text(json, "collection") else {
      throw APIError.badField("collection", "is missing; write a name such as night-music")
    }
    return (id, try text(json, "name"), try rule(json))
  }

  /// `{"name", "rule"}`; a name that is null is taken away.
  static func change(_ json: JSON) throws(APIError) -> (name: String??, rule: String?) {
    try APIError.requireKnown(json, ["name", "rule"])
    let name: String?? = json["name"] == nil ? nil : .some(try text(json, "name"))
    return (name, try rule(json))
  }

  /// `{"tracks", "urls", "collections", "station", "before"}`
  static func members(
    _ json: JSON
  ) throws(APIError) -> (members: CollectionDesk.NewMembers, station: String?) {
    try APIError.requireKnown(json, ["tracks", "urls", "collections", "station", "before"])
    var new = CollectionDesk.NewMembers()
    for (index, text) in try list(json, "tracks").enumerated() {
      guard let key = TrackKey(text) else {
        throw APIError.badField("tracks[\(index)]", "is no track; write 32 hexadecimal digits")
      }
      new.tracks.append(key)
    }
    new.urls = try list(json, "urls")
    for (index, url) in new.urls.enumerated()
    where !CollectionDesk.NewMembers.isURL(url) {
      throw APIError.badField("urls[\(index)]", "is no http or https URL")
    }
    new.collections = try list(json, "collections")
    new.before = try before(json)
    let station = try text(json, "station")
    if new.tracks.isEmpty, new.urls.isEmpty, new.collections.isEmpty, station == nil {
      throw APIError.badField("tracks", "is missing; write tracks, urls, collections or a station")
    }
    return (new, station)
  }

  /// `{"before"}`
  static func place(_ json: JSON) throws(APIError) -> Int64? {
    try APIError.requireKnown(json, ["before"])
    return try before(json)
  }

  // MARK: Fields

  private static func text(_ json: JSON, _ key: String) throws(APIError) -> String? {
    switch json[key] {
    case nil, .null?: return nil
    case .string(let text)? where text.utf8.count <= 1024: return text
    default: throw APIError.badField(key, "is no text of at most 1024 bytes")
    }
  }

  private static func rule(_ json: JSON) throws(APIError) -> String? {
    switch json["rule"] {
    case nil, .null?: nil
    case .object?: json["rule"]?.text
    default:
      throw APIError(
        400, "bad-rule", "The rule is no object; write {\"all\": [ … ]}.", field: "rule")
    }
  }

  private static func list(_ json: JSON, _ key: String) throws(APIError) -> [String] {
    switch json[key] {
    case nil, .null?: return []
    case .array(let items)? where items.count <= itemsMax:
      var texts: [String] = []
      for (index, item) in items.enumerated() {
        guard case .string(let text) = item else {
          throw APIError.badField("\(key)[\(index)]", "is no text")
        }
        texts.append(text)
      }
      return texts
    default: throw APIError.badField(key, "is no list of at most \(itemsMax)")
    }
  }

  private static func before(_ json: JSON) throws(APIError) -> Int64? {
    switch json["before"] {
    case nil, .null?: return nil
    case .integer(let member)?: return member
    default: throw APIError.badField("before", "is no member's number, and not null")
    }
  }
}

// Schemas of collections and of what is sent for them.
extension Schema {
  static let collections: [(name: String, schema: JSON)] = [
    ("Collections", object([("collections", list(named("Collection")))])),
    ("Collection", CollectionView.schema),
    ("CollectionImport", CollectionImport.schema),
    (
      "NewCollection",
      object([("collection", text), ("name", known(text)), ("rule", rule)], needed: ["collection"])
    ),
    ("CollectionPatch", object([("name", known(text)), ("rule", rule)], needed: [])),
    (
      "NewMembers",
      object(
        [
          ("tracks", list(text)), ("urls", list(text)), ("collections", list(text)),
          ("station", known(text)), ("before", known(count)),
        ], needed: [])
    ),
    ("MemberPlace", object([("before", known(count))], needed: [])),
    ("List", text),
  ]

  private static let rule = known(["type": "object"])
}
