import Ingest
import Longwave
import Server
import Wire

/// A source's request to push: `SOURCE`, which every encoder can send, or Icecast's `PUT`.
struct SourceRequest {
  let head: HTTPRequestHead
  let password: [UInt8]?

  init(_ request: APIRequest) {
    head = request.head
    password = AdminAccess.secret(in: request.head.fields)
  }

  /// Makes a refusal. Old encoders know only 401 and 403, and show the text (the codes of PUT are Icecast 2.5's).
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

  /// Throws for a Content-Type that is no audio (such as a page's), and for a PUT without the field. Otherwise the bytes
  /// decide what the source sends.
  func checkContentType() throws(APIError) {
    guard let type = head.fields["Content-Type"]?.lowercased() else {
      if head.method == "PUT" { throw APIError(400, "no-content-type", "No Content-type given") }
      return
    }
    // An empty one says nothing; Icecast takes it for MP3.
    let isAudio =
      type.isEmpty || type.hasPrefix("audio/") || type.hasPrefix("application/ogg")
      || type.hasPrefix("application/octet-stream")
    guard isAudio else {
      throw refusal(415, "content-type", "Content-type not supported")
    }
  }

  /// The form of the audio. A length of 0 is what encoders say that do not know it, as they may: a source is live.
  var body: PushSource.Body {
    if head.isChunked { return .chunked }
    guard head.method == "PUT", let length = head.contentLength, length > 0 else { return .plain }
    return .sized(length)
  }

  private var waitsForGoAhead: Bool { head.fields.tokens("Expect").contains("100-continue") }

  /// The answer that an encoder awaits before it sends audio.
  var greeting: [UInt8] {
    if waitsForGoAhead { return HTTPResponseHead(version: head.version, status: 100).bytes() }
    return answer()
  }

  /// The answer at the audio's end, to a source that has had the go-ahead only.
  var farewell: [UInt8] {
    waitsForGoAhead ? answer([(name: "Content-Length", value: "0")]) : []
  }

  private func answer(_ more: [(name: String, value: String)] = []) -> [UInt8] {
    HTTPResponseHead(
      version: head.version, status: 200,
      fields: HTTPFields(
        [
          (name: "Server", value: RelayVersion.name),
          (name: "X-Content-Type-Options", value: "nosniff"),
        ] + more)
    ).bytes()
  }
}
