import Longwave
import Server
import Timeshift
import Wire

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

  static func error(_ error: APIError) -> APIResponse {
    json(error.status, error.json, headers: error.headers)
  }

  /// The answer to a completed action that has no result.
  static var nothing: APIResponse { .whole(status: 204, mediaType: "", body: []) }

  static func text(_ status: Int, _ text: String) -> APIResponse {
    .whole(status: status, mediaType: "text/plain; charset=utf-8", body: Array(text.utf8))
  }

  /// The answer with the permission to keep it and to revalidate it.
  var revalidated: APIResponse {
    switch self {
    case .whole(200, _, _, let fields) where fields.contains { $0.name == "Cache-Control" }:
      return self
    case .whole(let status, let mediaType, let body, let fields) where [200, 302].contains(status):
      return .whole(
        status: status, mediaType: mediaType, body: body, fields: fields + [CacheControl.revalidate]
      )
    case .made(let order) where order.fields.contains { $0.name == "Cache-Control" }:
      return self
    case .made(var order) where order.status == 200:
      order.fields.append(CacheControl.revalidate)
      // Administrators get the same page without this field, so the keys must differ.
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

  /// - Parameter key: See `PageOrder.key`.
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

  /// Makes `{"NAME":[…],"truncated":false}` with as many items as fit into `bytesMax` bytes.
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
