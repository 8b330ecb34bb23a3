/// A request with whatever in it, before it is bytes.
struct HostileRequest: Sendable {
  var method = "GET"
  /// As it stands in the first line.
  var target: [UInt8]
  var fields: [(name: String, value: [UInt8])] = []
  var body: [UInt8]?
  /// Whether nothing in it says where it ends but its own length: others may follow.
  var isPlain = true

  init(_ method: String = "GET", _ target: String) {
    self.method = method
    self.target = Array(target.utf8)
  }

  init(_ method: String, target: [UInt8]) {
    self.method = method
    self.target = target
  }

  /// These say where a request or its connection ends, or make it a stream.
  private static let framing: Set = [
    "content-length", "transfer-encoding", "expect", "connection", "upgrade",
  ]

  mutating func add(_ name: String, _ value: [UInt8]) {
    fields.append((name, value))
    let isOdd = value.contains { $0 == 10 || $0 == 13 || $0 == 0 }
    if isOdd || Self.framing.contains(name.lowercased()) { isPlain = false }
  }

  mutating func add(_ name: String, _ value: String) { add(name, Array(value.utf8)) }

  var bytes: [UInt8] {
    var bytes = Array(method.utf8) + [32] + target + Array(" HTTP/1.1\r\n".utf8)
    func has(_ name: String) -> Bool { fields.contains { $0.name.lowercased() == name } }
    if !has("host") { bytes += Array("Host: relay.test\r\n".utf8) }
    for field in fields { bytes += Array("\(field.name): ".utf8) + field.value + [13, 10] }
    if let body, !has("content-length"), !has("transfer-encoding") {
      bytes += Array("Content-Length: \(body.count)\r\n".utf8)
    }
    return bytes + [13, 10] + (body ?? [])
  }

  func attack(_ way: Attack.Way, place: String) -> Attack {
    let isWhole = !target.contains { $0 <= 32 || $0 == 127 } && !["SOURCE", "PUT"].contains(method)
    return Attack(
      way: way, bytes: bytes, place: place, isPlain: isPlain && isWhole, isHead: method == "HEAD")
  }
}
