import Longwave
import Reactor
import Server
import Timeshift
import Wire

extension APIRequest {
  /// The head, with a form in the body (application/x-www-form-urlencoded) added to its query.
  var headWithForm: HTTPRequestHead {
    guard head.method == "POST",
      head.fields["Content-Type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded")
        == true
    else { return head }
    var head = head
    let form = PercentEncoding.text(body.span)
    head.query = HTTPQuery(raw: head.query.raw.isEmpty ? form : head.query.raw + "&" + form)
    return head
  }

  /// The deepest nesting of objects and lists in a body; a station has four levels.
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

  /// Throws unless the body, or the type of a missing body, is JSON. Before a browser sends JSON for a page of another
  /// site, it asks this server, which does not let it send passwords along.
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

extension APIRequest {
  /// Throws if a page of another site could have sent the body without being asked for leave (Fetch, "CORS-safelisted
  /// request-header").
  func requireList() throws(APIError) {
    if origin == .unixSocket { return }
    let type = head.fields["Content-Type"].map {
      $0.prefix { $0 != ";" }.lowercased().trimmingBlanks
    }
    let safe = ["text/plain", "multipart/form-data", "application/x-www-form-urlencoded"]
    if let type, !type.isEmpty, !safe.contains(String(type)) { return }
    throw APIError(
      415, "content-type",
      "Send the list with a type of its own (curl -H 'Content-Type: audio/x-mpegurl').",
      field: "Content-Type")
  }
}

extension String {
  fileprivate var trimmingBlanks: Substring {
    var rest = self[...]
    while rest.last == " " || rest.last == "\t" { rest.removeLast() }
    return rest.drop { $0 == " " || $0 == "\t" }
  }
}

extension APIRequest {
  /// Whether nobody on the way can read along: it is encrypted, or has not left this machine.
  ///
  /// What a proxy here passes on for others came from elsewhere, whether that proxy is trusted or not.
  var isPrivate: Bool {
    if isEncrypted { return true }
    let isPassedOn = ["X-Forwarded-For", "Forwarded", "Via"].contains { head.fields[$0] != nil }
    return origin.address.map { $0.scopeFromHere == .machine && !isPassedOn } ?? true
  }
}
