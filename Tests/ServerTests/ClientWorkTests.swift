import Synchronization
import TestSupport
import Testing
import Wire

@testable import Server

/// Work for a client that goes before it is answered.
@Suite struct ClientWorkTests {
  /// Works for ever, unless it is cancelled; below `/look` only for the client.
  private final class EndlessAPI: APIHandling {
    private let counts = Mutex((begun: 0, cancelled: [String]()))
    var begun: Int { counts.withLock { $0.begun } }
    var cancelled: [String] { counts.withLock { $0.cancelled } }

    func endsWithClient(_ head: HTTPRequestHead) -> Bool { head.isBelow("/look") }

    func respond(to request: APIRequest) async -> APIResponse {
      counts.withLock { $0.begun += 1 }
      do {
        try await Task.sleep(for: .seconds(request.head.isBelow("/look") ? 100_000 : 0))
      } catch {
        counts.withLock { $0.cancelled.append(request.head.path) }
      }
      return .whole(status: 204, mediaType: "", body: [])
    }
  }

  @Test func `work for a client alone ends with it, work that changes something does not`()
    async throws
  {
    let api = EndlessAPI()
    try await withServer(of: api) { _, address in
      let look = try StreamClient(to: address, sending: "GET /look HTTP/1.1\r\nHost: a\r\n\r\n")
      try await eventually("the work") { api.begun == 1 }
      let change = try StreamClient(to: address, sending: "POST /x HTTP/1.1\r\nHost: a\r\n\r\n")
      try await change.until("an answer") { $0.received.count > 10 }
      look.hangUp()
      try await eventually("its end") { api.cancelled == ["/look"] }
    }
  }
}
