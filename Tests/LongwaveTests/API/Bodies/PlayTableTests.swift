import Logging
import Reactor
import Server
import Testing
import Wire

@testable import Longwave
@testable import LongwaveAPI

/// What was played as a table, which is asked for by the page and sent as one.
@Suite struct PlayTableTests {
  private let relay = FakeRelay()

  private func respond(_ query: String) async throws -> APIResponse {
    let text =
      "GET /api/v1/plays?\(query) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer right-token\r\n\r\n"
    let request = try #require(try HTTPRequestParser.parse(Array(text.utf8).span))
    let router = APIRouter(
      relay: relay, rights: .forTests(token: "right-token"),
      limits: GuessLimits(logger: Logger(label: "test")))
    return await router.respond(
      to: APIRequest(head: request.head, origin: .tcp(.ipv4(0x0102_0304, port: 5))))
  }

  @Test func `a table has all pages behind one head, asked for as they are sent`() async throws {
    guard case .pieces(let order) = try await respond("format=csv&station=jazz") else {
      Issue.record("it is no table")
      return
    }
    #expect(order.savedName == "plays-jazz.csv" && order.mediaType == "text/csv; charset=utf-8")
    #expect(relay.done == ["plays 1000"])
    var pieces: [String] = []
    while let piece = try await order.next() {
      pieces.append(String(decoding: piece, as: UTF8.self))
    }
    func line(_ item: Int) -> String {
      "jazz,\(item),track,,\"a, b\",,,1970-01-01T00:00:0\(item).000Z,200,true,order,0,0,,\r\n"
    }
    #expect(pieces == [PlayCSV.head + line(8), line(7)])
    #expect(relay.done == ["plays 1000", "plays 1000"])
    #expect(try await order.next() == nil)
  }

  @Test(arguments: ["format=csv&station=none", "station=none", "to=-1h&from=-1h", "after=x-1"])
  func `what cannot be is refused before anything is sent`(query: String) async throws {
    guard case .whole(let status, _, _, _) = try await respond(query).whole else {
      Issue.record("it is answered")
      return
    }
    #expect(status == (query.contains("none") ? 404 : 400))
  }
}
