import LongwaveAdmin
import Glibc
import Longwave
import Reactor
import Store
import TestSupport
import Testing

@Suite struct AdminClientTests {
  private let folder = TemporaryDirectory()

  /// A relay that stands still: connections wait in its queue.
  private func standing() throws -> (client: AdminClient, socket: Int32) {
    let path = DataDirectory.socketPath(in: folder.path)
    let socket = try Socket.listen(on: .unix(path), sharing: false, backlog: 16)
    var client = AdminClient(.data(folder.path))
    client.timeout = 0.3
    return (client, socket)
  }

  @Test func `a relay that does not answer is not told to be absent`() async throws {
    let (client, socket) = try standing()
    defer { close(socket) }
    let late = "the longwave on \(folder.path) did not answer within 0.3s"
    let advice = "look at its log and at its disk (dmesg), and at longwave doctor"
    let asked = await #expect(throws: AdminError.self) {
      try await client.request("GET", AdminClient.path("stations"))
    }
    #expect(asked?.description == "\(late); \(advice)")
    let changed = await #expect(throws: AdminError.self) {
      try await client.request("POST", AdminClient.path("stations"), body: [:])
    }
    #expect(changed?.description == "\(late), and may still carry out the request; \(advice)")
  }

  @Test func `events and clips are not waited for without end before they begin`() async throws {
    let (client, socket) = try standing()
    defer { close(socket) }
    let followed = await #expect(throws: AdminError.self) { try await client.follow { _ in } }
    #expect(followed?.description.contains("did not answer within 0.3s; look") == true)
    let cut = await #expect(throws: AdminError.self) {
      try await client.clip(of: "jazz", from: "-1m", to: nil) { _ in }
    }
    #expect(cut?.description.contains("did not answer within 0.3s; look") == true)
  }

  @Test func `a command to a server that does not answer says so`() async throws {
    let socket = try Socket.listen(on: .ipv4(0x7f00_0001, port: 0), sharing: false, backlog: 16)
    defer { close(socket) }
    let place = "http://\(try #require(Socket.localAddress(of: socket)))"
    var client = AdminClient(.server(place, token: ""))
    client.timeout = 0.3
    let error = await #expect(throws: AdminError.self) {
      try await client.request("DELETE", AdminClient.path("stations", "jazz"))
    }
    #expect(
      error?.description
        == "\(place) did not answer within 0.3s, and may still carry out the request; look at its "
        + "log and at its disk (dmesg), and at longwave doctor")
  }
}
