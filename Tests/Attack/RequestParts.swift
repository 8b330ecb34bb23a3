import TestSupport

/// A request to one operation, with something right wherever something is needed and nothing odd was said.
struct RequestParts {
  private let operation: Surface.Operation
  private let names: RequestPlan.Names
  var method: String
  private var paths: [String: [UInt8]] = [:]
  private var queries: [(name: String, value: [UInt8])] = []
  private var headers: [(name: String, value: [UInt8])] = []
  private var fields: [(names: [String], value: [UInt8])] = []
  private var wholeQuery: [UInt8]?
  private var wholeBody: [UInt8]?

  init(_ operation: Surface.Operation, station: String, names: RequestPlan.Names) {
    (self.operation, self.names, method) = (operation, names, operation.method)
    paths["station"] = Array(station.utf8)
  }

  mutating func set(_ place: Surface.Place, _ value: [UInt8]) {
    switch place {
    case .path(let name): paths[name] = Self.escaped(value, keeping: "/")
    case .query(let name): queries.append((name, Self.escaped(value, keeping: "/:,+")))
    case .header(let name): headers.append((name, value))
    case .field(let names): fields.append((names, value))
    case .wholeQuery: wholeQuery = value
    case .wholeBody: wholeBody = value
    case .method: method = String(decoding: value, as: UTF8.self)
    }
  }

  func request(number: Int, hasToken: Bool) -> HostileRequest {
    var request = HostileRequest(method, target: path + query(number))
    for header in headers { request.add(header.name, header.value) }
    if operation.isAdministrative, hasToken,
      !headers.contains(where: { $0.name == "Authorization" })
    {
      request.add("Authorization", "Bearer \(names.token)")
    }
    guard let mediaType = operation.mediaType else { return request }
    if !headers.contains(where: { $0.name == "Content-Type" }) {
      request.add("Content-Type", mediaType.replacing("*", with: "mpeg"))
    }
    request.body = wholeBody ?? body(number)
    return request
  }

  private var path: [UInt8] {
    var path = Array(operation.path.utf8)
    for case .path(let name) in operation.places {
      let value = paths[name] ?? good(name, 0)
      path = Array(path).replacing("{\(name)}".utf8, with: value)
    }
    return path
  }

  /// In an order that is always the same.
  private var needed: [Surface.Place] { operation.places.filter(operation.needed.contains) }

  private func query(_ number: Int) -> [UInt8] {
    if let wholeQuery { return wholeQuery }
    let pairs = pairs(number)
    return operation.isForm || pairs.isEmpty ? [] : Array("?".utf8) + pairs
  }

  private func pairs(_ number: Int) -> [UInt8] {
    var all = queries
    for case .query(let name) in needed where !all.contains(where: { $0.name == name }) {
      all.append((name, good(name, number)))
    }
    let pairs = all.map { Array("\($0.name)=".utf8) + $0.value }
    return Array(pairs.joined(separator: "&".utf8))
  }

  private func good(_ name: String, _ number: Int) -> [UInt8] {
    let examples = names.examples[name] ?? HostileValues.examples(for: name)
    return examples.isEmpty ? [] : Array(examples[number % examples.count].utf8)
  }

  // MARK: Bodies

  private func body(_ number: Int) -> [UInt8] {
    if operation.isForm { return pairs(number) }
    var all = fields
    for case .field(let names) in needed where !all.contains(where: { $0.names == names }) {
      // What is made gets a name of its own, and where to go is told to who is to go there.
      let goesTo = names == ["action"] && fields.contains { $0.names == ["at"] }
      let value =
        names == ["id"]
        ? Array("x\(number)".utf8) : goesTo ? Array("seek".utf8) : good(names.last ?? "", number)
      all.append((names, HostileJSON.quoted(value)))
    }
    if operation.path.hasSuffix("/stations"), !all.contains(where: { $0.names[0] == "upstream" }) {
      all.append((["upstream"], HostileJSON.quoted(good("upstream", 0))))
    }
    return Self.object(all, number: number)
  }

  private static func object(_ fields: [(names: [String], value: [UInt8])], number: Int) -> [UInt8]
  {
    var members: [[UInt8]] = []
    var inner: [String: [(names: [String], value: [UInt8])]] = [:]
    for field in fields {
      if field.names.count == 1 {
        members.append(HostileJSON.quoted(Array(field.names[0].utf8)) + [58] + field.value)
      } else {
        inner[field.names[0], default: []].append((Array(field.names.dropFirst()), field.value))
      }
    }
    for (name, fields) in inner.sorted(by: { $0.key < $1.key }) {
      let all = companions(of: name, without: fields) + fields
      members.append(
        HostileJSON.quoted(Array(name.utf8)) + [58] + object(all, number: number))
    }
    return Array("{".utf8) + Array(members.joined(separator: [44])) + Array("}".utf8)
  }

  /// Without these an inner object is refused for what is not there.
  private static func companions(
    of name: String, without fields: [(names: [String], value: [UInt8])]
  ) -> [(names: [String], value: [UInt8])] {
    let needed = [
      "record": ["from": "18:00", "to": "19:30"], "metadata": ["url": "http://127.0.0.1:1/"],
    ]
    return (needed[name] ?? [:]).filter { key, _ in !fields.contains { $0.names == [key] } }
      .sorted { $0.key < $1.key }.map { ([$0.key], HostileJSON.quoted(Array($0.value.utf8))) }
  }

  private static func escaped(_ bytes: [UInt8], keeping: String) -> [UInt8] {
    let kept = Set("-._~%".utf8).union(keeping.utf8)
    return bytes.flatMap { byte -> [UInt8] in
      switch byte {
      case 48...57, 65...90, 97...122: [byte]
      case _ where kept.contains(byte): [byte]
      default:
        Array("%".utf8) + Array((byte < 16 ? "0" : "").utf8) + Array(String(byte, radix: 16).utf8)
      }
    }
  }
}
