import Glibc
import Reactor
import TestSupport
import Testing

@testable import Server

/// A server on a socket that was open before it, as a service manager leaves one.
@Suite struct OpenedSocketTests {
  private func opened(_ text: String) throws -> OpenedSocket {
    let fd = try Socket.listen(on: #require(SocketAddress(text)), sharing: false)
    return OpenedSocket(
      fd: fd, address: try #require(Socket.localAddress(of: fd)), isForShoutcast: false)
  }

  private func server(on socket: OpenedSocket) async throws -> TestServer {
    try await TestServer(threads: 3) { ($0.listen, $0.opened) = ([], [socket]) }
  }

  @Test func `the loops of an inherited socket serve as many listeners each`() async throws {
    let server = try await server(on: opened("127.0.0.1:0"))
    var clients: [StreamClient] = []
    for _ in 0..<12 {
      let client = try StreamClient(to: server.address, get: "/jazz")
      try await client.until("audio") { $0.bodyCount > 10_000 }
      clients.append(client)
    }
    var shares: [Int] = []
    for loop in server.server.loops { shares.append(await loop.snapshots().count) }
    #expect(shares == [4, 4, 4])
    await server.stop()
  }

  @Test func `the administration's socket is made again where its file is gone`() async throws {
    let folder = TemporaryDirectory()
    let path = folder.path + "/a.sock"
    try await withServer(change: { $0.unixSocket = path }) { server in
      func ask() async throws -> Int {
        try await StreamClient(to: .unix(path), get: "/jazz").answer().status
      }
      let isMade = try await server.server.remakeUnixSocket()
      #expect(!isMade)
      do {
        let status = try await ask()
        #expect(status == 200)
      }
      for _ in 0..<3 {
        unlink(path)
        #expect(throws: (any Error).self) { try StreamClient(to: .unix(path), get: "/jazz") }
        let isMade = try await server.server.remakeUnixSocket()
        #expect(isMade)
        do {
          let status = try await ask()
          #expect(status == 200)
        }
      }
    }
  }

  @Test
  func `a disk without an inode keeps nobody off air, and has the socket as soon as it has one`()
    async throws
  {
    guard let disk = SmallDisk(kilobytes: 1000) else { return }
    let path = disk.folder.path + "/a.sock"
    disk.useFiles()
    try await withServer(change: { $0.unixSocket = path }) { server in
      #expect(server.server.unixSocketRefusal?.code == ENOSPC)
      let client = try StreamClient(to: server.address, get: "/jazz")
      try await client.until("audio") { $0.bodyCount > 10_000 }
      let isOpen = try await server.server.openRefusedUnixSocket()
      #expect(!isOpen && server.server.unixSocketRefusal != nil)
      disk.freeFiles()
      let isOpenNow = try await server.server.openRefusedUnixSocket()
      #expect(isOpenNow && server.server.unixSocketRefusal == nil)
      let status = try await StreamClient(to: .unix(path), get: "/jazz").answer().status
      #expect(status == 200)
    }
  }

  @Test func `a client that connects while no server runs is served by the next one`() async throws
  {
    let socket = try opened("127.0.0.1:0")
    // The manager's own descriptor.
    let kept = dup(socket.fd)
    let first = try await server(on: socket)
    let before = try StreamClient(to: first.address, get: "/jazz")
    try await before.until("audio") { $0.bodyCount > 0 }
    await first.stop()
    let waiting = try StreamClient(to: socket.address, get: "/jazz")
    let second = try await server(
      on: OpenedSocket(fd: kept, address: socket.address, isForShoutcast: false))
    try await waiting.until("audio of the second server") { $0.bodyCount > 10_000 }
    await second.stop()
  }

  @Test func `a client that waits when accepting ends is served by the next server`() async throws {
    let socket = try opened("127.0.0.1:0")
    let kept = dup(socket.fd)
    let first = try await server(on: socket)
    await first.server.stopAccepting()
    let waiting = try StreamClient(to: socket.address, get: "/jazz")
    await first.stop()
    #expect(waiting.received.isEmpty)
    let second = try await server(
      on: OpenedSocket(fd: kept, address: socket.address, isForShoutcast: false))
    try await waiting.until("audio of the second server") { $0.bodyCount > 10_000 }
    await second.stop()
  }

  @Test func `a request on its way while the server stops has an answer`() async throws {
    let server = try await TestServer { $0.headTimeout = 60 }
    var clients: [StreamClient] = []
    for _ in 0..<8 {
      clients.append(try StreamClient(to: server.address, sending: "GET /jazz HTTP/1.1\r\nHo"))
    }
    try await eventually("they are connected") {
      await server.server.figures().connections == clients.count
    }
    let (address, sockets) = (server.address, clients.map(\.fd))
    async let stopped: Void = server.stop()
    try await offPool {
      while (try? StreamClient(to: address, sending: "")) != nil { usleep(1000) }
      for socket in sockets {
        _ = Array("st: x\r\n\r\n".utf8).withUnsafeBytes { Socket.send(socket, $0) }
      }
    }
    for client in clients {
      try await client.until("its end") { $0.isEnded }
      #expect([200, 503].contains(try client.head().status))
    }
    await stopped
  }

  @Test func `an IPv4 client at a socket for both families has its own address`() async throws {
    let fd = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    try #require(fd >= 0)
    var name = sockaddr_in6()
    name.sin6_family = sa_family_t(AF_INET6)
    let bound = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(fd, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
      }
    }
    try #require(bound == 0 && Glibc.listen(fd, 16) == 0)
    _ = fcntl(fd, F_SETFL, O_NONBLOCK)
    let address = try #require(Socket.localAddress(of: fd))
    let server = try await server(
      on: OpenedSocket(fd: fd, address: address, isForShoutcast: false))
    let client = try StreamClient(
      to: .ipv4(INADDR_LOOPBACK, port: try #require(address.port)), get: "/jazz")
    try await client.until("audio") { $0.bodyCount > 0 }
    #expect(await server.server.listeners().map(\.address) == ["127.0.0.1"])
    await server.stop()
  }
}
