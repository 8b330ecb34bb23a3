import Longwave
import Server
import Wire

/// A query as scripts for Icecast and SHOUTcast write it, where a plus sign is a blank.
struct MonitorQuery {
  private let query: HTTPQuery

  init(_ query: HTTPQuery) {
    self.query = HTTPQuery(raw: query.raw.replacing("+", with: "%20"))
  }

  subscript(key: String) -> String? { query[key] }

  /// Returns the bytes of a key's value, whose charset is not known here.
  func bytes(of key: String) -> [UInt8]? { query.bytes(of: key) }

  var wantsJSON: Bool { query["json"] == "1" }

  /// Returns JSON, or a call of the page's function with it (JSONP). The function's name may have only characters of a
  /// name.
  func script(
    _ key: String? = nil, _ json: @escaping @Sendable () -> JSON
  ) -> APIResponse {
    guard let function = query["callback"], !function.isEmpty,
      function.unicodeScalars.allSatisfy({
        ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
          || "_$.".unicodeScalars.contains($0)
      })
    else { return .madeJSON(key.map { $0 + " json" }, json) }
    return .made(key.map { "\($0) callback \(function)" }, "text/javascript; charset=utf-8") {
      Array("\(function)(".utf8) + json().bytes + ");".utf8
    }
  }
}
