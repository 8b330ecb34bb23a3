import Longwave
import TestSupport

/// What the server can be asked, as it describes itself: whatever is new there is tried by itself.
struct Surface: Sendable {
  /// Where in a request a value stands.
  enum Place: Hashable, Sendable {
    case path(String)
    case query(String)
    case header(String)
    /// The names from the outermost object inwards.
    case field([String])
    /// The query, the body, or the method as a whole.
    case wholeQuery, wholeBody, method

    var text: String {
      switch self {
      case .path(let name): "{\(name)}"
      case .query(let name): "?\(name)"
      case .header(let name): name
      case .field(let names): names.joined(separator: ".")
      case .wholeQuery: "query"
      case .wholeBody: "body"
      case .method: "method"
      }
    }

    /// By which `HostileValues` knows what would be right.
    var valueName: String {
      switch self {
      case .path(let name), .query(let name), .header(let name): name
      case .field(let names): names.last ?? ""
      case .wholeQuery, .wholeBody, .method: ""
      }
    }
  }

  struct Operation: Sendable {
    var name: String
    var method: String
    var path: String
    var isAdministrative: Bool
    var places: [Place]
    /// Those without which nothing is answered but that they are missing.
    var needed: Set<Place>
    var mediaType: String?

    var isForm: Bool { mediaType == "application/x-www-form-urlencoded" }

    /// Whether nothing but audio, a playlist or a file is answered.
    var isStream: Bool { path.hasPrefix("/{station}") }
  }

  var operations: [Operation]
  /// Paths below which what is made there can be deleted: `/api/v1/bans`.
  var makers: Set<String>

  /// As a relay describes itself that runs.
  init(of relay: AttackedRelay) throws {
    let document = AttackedRelay.administer("GET", "/api/v1/openapi.json", nil, relay.addresses)
    guard let document, let json = JSON.parse(Array(document.body)) else {
      throw TimeIsUp(description: "the relay does not describe itself")
    }
    self.init(json)
  }

  /// - Parameter document: `/api/v1/openapi.json`.
  init(_ document: JSON) {
    let schemas = Schemas(all: document["components"]?["schemas"])
    var operations = (document["paths"]?.members ?? []).flatMap { path in
      path.value.members.map { Operation(path.key, $0.key, $0.value, schemas) }
    }
    // A form has what the page's query has, and the description says so once.
    for index in operations.indices where operations[index].isForm {
      let page = operations.first { $0.path == operations[index].path && !$0.isForm }
      for case .query(let name) in page?.places ?? [] {
        operations[index].places.append(.query(name))
        if page?.needed.contains(.query(name)) == true {
          operations[index].needed.insert(.query(name))
        }
      }
    }
    self.operations = operations
    let deletable = operations.filter { $0.method == "DELETE" }.map(\.path)
    makers = Set(
      deletable.compactMap { path in
        path.lastIndex(of: "/").map { String(path[..<$0]) }
      })
  }
}

extension Surface.Operation {
  fileprivate init(_ path: String, _ method: String, _ json: JSON, _ schemas: Schemas) {
    name = json["operationId"]?.text ?? path
    self.method = method.uppercased()
    self.path = path
    isAdministrative = json["security"] != nil
    places = []
    needed = []
    for parameter in json["parameters"]?.elements ?? [] {
      guard let name = parameter["name"]?.string else { continue }
      switch parameter["in"]?.string {
      case "path": add(.path(name), isNeeded: true)
      case "header": add(.header(name), isNeeded: false)
      default: add(.query(name), isNeeded: parameter["required"] == .bool(true))
      }
    }
    places += [.wholeQuery, .method]
    guard let content = json["requestBody"]?["content"]?.members.first else { return }
    mediaType = content.key
    places.append(.wholeBody)
    addFields(of: content.value["schema"], below: [], isNeeded: true, schemas)
  }

  private mutating func add(_ place: Surface.Place, isNeeded: Bool) {
    places.append(place)
    if isNeeded { needed.insert(place) }
  }

  private mutating func addFields(
    of schema: JSON?, below names: [String], isNeeded: Bool, _ schemas: Schemas
  ) {
    guard names.count < 4, let object = schemas.object(schema) else { return }
    let required = Set(object.texts("required"))
    for member in object["properties"]?.members ?? [] {
      let place = names + [member.key]
      add(.field(place), isNeeded: isNeeded && required.contains(member.key))
      addFields(of: member.value, below: place, isNeeded: false, schemas)
    }
  }
}

/// The shapes of bodies, by name.
private struct Schemas {
  var all: JSON?

  /// The object that something may be; nil: it is none.
  func object(_ schema: JSON?) -> JSON? {
    guard let schema else { return nil }
    if let reference = schema["$ref"]?.string {
      return object(all?[String(reference.split(separator: "/").last ?? "")])
    }
    if schema["properties"] != nil { return schema }
    for choice in schema["anyOf"]?.elements ?? [] {
      if let found = object(choice) { return found }
    }
    return schema["items"].flatMap(object)
  }
}

extension JSON {
  var string: String? { if case .string(let text) = self { text } else { nil } }

  var elements: [JSON] { if case .array(let items) = self { items } else { [] } }

  var integer: Int? { if case .integer(let number) = self { Int(number) } else { nil } }
}
