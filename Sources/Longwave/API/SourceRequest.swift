import Ingest
import Server
import Wire

/// A source's wish to push: `SOURCE` as every encoder has it, or Icecast's `PUT`.
struct SourceRequest {
  let head: HTTPRequestHead
  let password: [UInt8]?

  init(_ request: APIRequest) {
    head = request.head
    password = AdminAccess.secret(in: request.head.fields)
  }

  /// Old encoders know 401 and 403 only, and show the text (the codes of PUT are Icecast 2.5's).
  private func refusal(_ status: Int, _ code: String, _ message: String) -> APIError {
    APIError(head.method == "PUT" ? status : 403, code, message)
  }

  var wrongPassword: APIError {
    var error = APIError(401, "unauthorized", "This is not the station's source password.")
    error.headers["WWW-Authenticate"] = "Basic realm=\"Longwave\""
    return error
  }

  var inUse: APIError { refusal(409, "source-connected", "Mountpoint in use") }

  func takesNone(_ id: String) -> APIError {
    APIError(
      403, "takes-no-source",
      "The station \"\(id)\" takes no source; it needs push: as an upstream, and to be started.")
  }

  /// The bytes decide what it is; but what is said to be a page is none of ours.
  func checkContentType() throws(APIError) {
    guard let type = head.fields["Content-Type"]?.lowercased() else {
      if head.method == "PUT" { throw APIError(400, "no-content-type", "No Content-type given") }
      return
    }
    let isAudio =
      type.hasPrefix("audio/") || type.hasPrefix("application/ogg")
      || type.hasPrefix("application/octet-stream")
    guard isAudio else {
      throw refusal(415, "content-type", "Content-type not supported")
    }
  }

  /// What an encoder waits for before it sends.
  var greeting: [UInt8] {
    if head.fields.tokens("Expect").contains("100-continue") {
      return HTTPResponseHead(version: head.version, status: 100).bytes()
    }
    return HTTPResponseHead(
      version: head.version, status: 200,
      fields: HTTPFields([
        (name: "Server", value: RelayVersion.name),
        (name: "X-Content-Type-Options", value: "nosniff"),
      ])
    ).bytes()
  }
}
