import Server
import Timeshift
import Wire

extension APIRequest {
  /// The head with a form in the body (application/x-www-form-urlencoded) as part of its query.
  var headWithForm: HTTPRequestHead {
    guard head.method == "POST",
      head.fields["Content-Type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded")
        == true
    else { return head }
    var head = head
    let form = String(decoding: body, as: UTF8.self)
    head.query = HTTPQuery(raw: head.query.raw.isEmpty ? form : head.query.raw + "&" + form)
    return head
  }

  /// Objects and lists inside one another; a station has four.
  private static let depthMax = 16

  var json: JSON {
    get throws(APIError) {
      let json: JSON
      do throws(JSONScanner.Failure) {
        json = try JSONReader.read(body, depthMax: Self.depthMax)
      } catch {
        throw APIError.badJSON("it \(error)")
      }
      guard case .object = json else { throw APIError.badJSON }
      return json
    }
  }

  /// Where there is a body, or only the type of one, it has to be JSON's. A browser asks us before it sends that for a
  /// page of another site, and gets no leave to send passwords along.
  func requireJSON() throws(APIError) {
    if origin == .unixSocket { return }
    let type = head.fields["Content-Type"]
    if type == nil, body.isEmpty { return }
    let name = type?.prefix { $0 != ";" }.lowercased().trimmingBlanks
    if name != "application/json" {
      throw APIError(
        415, "content-type",
        "Send the body with Content-Type: application/json "
          + "(curl -H 'Content-Type: application/json').", field: "Content-Type")
    }
  }
}

extension String {
  fileprivate var trimmingBlanks: Substring {
    var rest = self[...]
    while rest.last == " " || rest.last == "\t" { rest.removeLast() }
    return rest.drop { $0 == " " || $0 == "\t" }
  }
}

extension APIResponse {
  static func json(
    _ status: Int, _ json: JSON, headers: [String: String] = [:]
  ) -> APIResponse {
    let fields = headers.sorted { $0.key < $1.key }.map {
      HTTPFields.Field(name: $0.key, value: $0.value)
    }
    return .whole(
      status: status, mediaType: "application/json", body: json.bytes + [10], fields: fields)
  }

  /// It is done, and there is nothing to say of it.
  static var nothing: APIResponse { .whole(status: 204, mediaType: "", body: []) }

  static func text(_ status: Int, _ text: String) -> APIResponse {
    .whole(status: status, mediaType: "text/plain; charset=utf-8", body: Array(text.utf8))
  }

  /// The same, which may be kept and asked for again.
  var revalidated: APIResponse {
    switch self {
    case .whole(200, let mediaType, let body, let fields):
      return .whole(
        status: 200, mediaType: mediaType, body: body, fields: fields + [CacheControl.revalidate])
    case .made(var order) where order.status == 200:
      order.fields.append(CacheControl.revalidate)
      // Administrators are told the same without.
      order.key = order.key.map { $0 + " kept" }
      return .made(order)
    default: return self
    }
  }

  static func page(_ mediaType: String, _ text: String) -> APIResponse {
    .whole(status: 200, mediaType: mediaType, body: Array(text.utf8))
  }

  static func xml(_ text: String) -> APIResponse { page("text/xml; charset=utf-8", text) }

  // MARK: What can be long

  /// - Parameter key: see `PageOrder.key`.
  static func made(
    _ key: String?, _ mediaType: String, isLong: Bool = false,
    _ bytes: @escaping @Sendable () -> [UInt8]
  ) -> APIResponse {
    var order = PageOrder(key: key, mediaType: mediaType, body: bytes)
    order.isLong = isLong
    return .made(order)
  }

  static func madeJSON(
    _ key: String? = nil, _ json: @escaping @Sendable () -> JSON
  ) -> APIResponse {
    made(key, "application/json") { json().bytes + [10] }
  }

  static func madeXML(
    _ key: String? = nil, _ text: @escaping @Sendable () -> String
  ) -> APIResponse {
    made(key, "text/xml; charset=utf-8") { Array(text().utf8) }
  }

  /// `{"NAME":[…],"truncated":false}`: as many items as fit into so many bytes.
  static func madeList<Item: Sendable>(
    _ key: String?, _ name: String, _ items: [Item], bytesMax: Int, isLong: Bool = false,
    _ json: @escaping @Sendable (Item) -> JSON
  ) -> APIResponse {
    made(key, "application/json", isLong: isLong) {
      var bytes = Array("{\"\(name)\":[".utf8)
      var isCut = false
      for (index, item) in items.enumerated() {
        let before = bytes.count
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        json(item).write(to: &bytes)
        guard bytes.count > bytesMax else { continue }
        bytes.removeSubrange(before...)
        isCut = true
        break
      }
      return bytes + "],\"truncated\":\(isCut)}\n".utf8
    }
  }
}
