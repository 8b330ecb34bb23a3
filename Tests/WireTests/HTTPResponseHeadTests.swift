import Testing
import Wire

struct HTTPResponseHeadTests {
  private func text(_ head: HTTPResponseHead) -> String {
    String(decoding: head.bytes(), as: UTF8.self)
  }

  @Test func `a head is a status line, fields and an empty line`() {
    let head = HTTPResponseHead(
      version: .http10, status: 200,
      fields: HTTPFields([("Content-Type", "audio/mpeg"), ("icy-name", "Jazz – café")]))
    #expect(
      text(head)
        == "HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: Jazz – café\r\n\r\n")
  }

  @Test func `a value with line ends cannot begin another field`() {
    let head = HTTPResponseHead(
      fields: HTTPFields([("icy-name", "a\r\nSet-Cookie: x\u{0}\n"), ("icy-url", "b\tc")]))
    #expect(
      text(head) == "HTTP/1.1 200 OK\r\nicy-name: a  Set-Cookie: x  \r\nicy-url: b\tc\r\n\r\n")
  }

  @Test(arguments: ["", "a b", "a\r\nb", "a:", "é"])
  func `a field whose name is none is left out`(name: String) {
    #expect(text(HTTPResponseHead(fields: HTTPFields([(name, "x")]))) == "HTTP/1.1 200 OK\r\n\r\n")
  }

  @Test(arguments: [
    (200, "OK"), (404, "Not Found"), (416, "Range Not Satisfiable"), (429, "Too Many Requests"),
    (503, "Service Unavailable"), (299, "Success"), (499, "Client Error"), (599, "Server Error"),
  ])
  func `statuses have their words`(status: Int, reason: String) {
    #expect(HTTPStatus.reason(status) == reason)
  }
}
