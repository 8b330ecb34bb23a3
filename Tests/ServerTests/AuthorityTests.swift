import Glibc
import Reactor
import Synchronization
import TestSupport
import Testing
import Timeshift

@testable import Server

/// An authority that takes its time, and what becomes of its tickets.
@Suite(.serialized)
struct AuthorityTests {
  /// Lets everybody in, when it is told to.
  private final class SlowAuthority: ListenerAuthorizing {
    let asked = Atomic<Int>(0)
    let isOpen = Atomic<Bool>(false)
    let given = Atomic<Int>(0)
    let returned = Atomic<Int>(0)

    func admit(_ request: ListenerRequest) async -> ListenerVerdict {
      asked.add(1, ordering: .relaxed)
      while !isOpen.load(ordering: .acquiring) { try? await Task.sleep(for: .milliseconds(5)) }
      given.add(1, ordering: .relaxed)
      return .admitted(
        ListenerTicket(user: "anna") { [self] _ in returned.add(1, ordering: .relaxed) })
    }

    func until(asked count: Int) async throws {
      try await eventually("it is asked") { asked.load(ordering: .relaxed) >= count }
    }

    func open() { isOpen.store(true, ordering: .releasing) }

    /// Every ticket has come back, once.
    func settled(_ count: Int) async throws {
      try await eventually("the tickets are back") {
        returned.load(ordering: .relaxed) >= count
      }
      #expect(given.load(ordering: .relaxed) == count)
      #expect(returned.load(ordering: .relaxed) == count)
    }
  }

  private func withAuthority(
    _ settings: ListenerSettings = .init(),
    _ body: (TestServer, SlowAuthority, Mount) async throws -> Void
  ) async throws {
    let authority = SlowAuthority()
    try await withServer(settings: settings) { server in
      var mount = Mount(station: "jazz", log: server.station.log)
      mount.settings = settings
      mount.authority = authority
      await server.server.publish(mounts: [mount])
      do {
        try await body(server, authority, mount)
      } catch {
        authority.open()
        throw error
      }
      authority.open()
    }
  }

  @Test func `a ban that is spoken while the authority thinks holds`() async throws {
    try await withAuthority { server, authority, _ in
      let client = try StreamClient(to: server.address, get: "/jazz")
      try await authority.until(asked: 1)
      await server.server.publish(bans: [Ban(AddressRange("127.0.0.0/8")!)])
      authority.open()
      #expect(try await client.answer().status == 403)
      try await authority.settled(1)
    }
  }

  @Test func `rules that become narrower while the authority thinks hold`() async throws {
    try await withAuthority { server, authority, mount in
      let client = try StreamClient(to: server.address, get: "/jazz")
      try await authority.until(asked: 1)
      var mount = mount
      mount.access.allow = [AddressRange("10.0.0.0/8")!]
      await server.server.publish(mounts: [mount])
      authority.open()
      #expect(try await client.answer().status == 403)
      try await authority.settled(1)
    }
  }

  @Test(arguments: ["/jazz", "/jazz/clip?from=-1s"])
  func `a station that serves files when the authority has thought has neither stream nor clips`(
    target: String
  ) async throws {
    try await withAuthority { server, authority, mount in
      let client = try StreamClient(to: server.address, get: target)
      try await authority.until(asked: 1)
      var mount = mount
      mount.content = .files(FileSource(root: "/nowhere"))
      await server.server.publish(mounts: [mount])
      authority.open()
      #expect(try await client.answer().status == 503)
      try await authority.settled(1)
    }
  }

  @Test func `a ticket comes back from whoever is gone, stopped, without a place, or only looks`()
    async throws
  {
    var settings = ListenerSettings()
    settings.listenersMax = 1
    try await withAuthority(settings) { server, authority, mount in
      var gone: StreamClient? = try StreamClient(to: server.address, get: "/jazz")
      try await authority.until(asked: 1)
      var now = linger(l_onoff: 1, l_linger: 0)
      setsockopt(gone!.fd, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
      gone = nil
      authority.open()
      try await authority.settled(1)
      let head = try StreamClient(to: server.address, get: "/jazz", method: "HEAD")
      #expect(try await head.answer().status == 200)
      try await authority.settled(2)
      let one = try StreamClient(to: server.address, get: "/jazz")
      try await one.until { $0.bodyCount > 1000 }
      #expect(await server.server.listeners().map(\.user) == ["anna"])
      let two = try StreamClient(to: server.address, get: "/jazz")
      #expect(try await two.answer().status == 503)
      try await eventually("the second one's ticket is back") {
        authority.returned.load(ordering: .relaxed) == 3
      }
      var stopped = mount
      stopped.isStopped = true
      await server.server.publish(mounts: [stopped])
      try await one.until("its end") { $0.isEnded }
      try await authority.settled(4)
    }
  }
}
