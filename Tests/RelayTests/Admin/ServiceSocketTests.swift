import Foundation
import Glibc
import Longwave
import Reactor
import TestSupport
import Testing

/// A relay on the sockets of a service manager, and as the user that its starter names.
@Suite struct ServiceSocketTests {
  private let folder = TemporaryDirectory()

  /// A socket as a manager opens one, at a number that can be passed on.
  private func socket(_ type: __socket_type = SOCK_STREAM, listens: Bool = true) throws -> Int32 {
    let low = Glibc.socket(AF_INET, Int32(type.rawValue), 0)
    let fd = fcntl(low, F_DUPFD_CLOEXEC, 100)
    close(low)
    try #require(fd >= 100)
    if listens { try #require(listen(fd, 64) == 0) }
    return fd
  }

  private static func canMount() async throws -> Bool {
    guard geteuid() == 0 else { return false }
    let mount = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/proc"]
    return try await ChildProcess.run(mount).status == 0
  }

  private func serve(
    _ passed: [Int32], names: String = "", more: [String] = []
  ) throws -> ChildProcess {
    folder.write("longwave.yml", Array("stations: []\n".utf8))
    let numbers = Dictionary(uniqueKeysWithValues: passed.enumerated().map { (Int32($0) + 3, $1) })
    return try ChildProcess(
      [
        "sh", "-c", "LISTEN_PID=$$ exec \"$0\" \"$@\"", Binary.longwave, "serve", "--config",
        folder.path + "/longwave.yml", "--data", folder.path + "/data",
      ] + more,
      environment: ChildProcess.plainEnvironment + [
        "LISTEN_FDS=\(passed.count)", "LISTEN_FDNAMES=\(names)",
      ], passing: numbers)
  }

  @Test func `sockets that systemd has opened are listened on, before and after a restart`()
    async throws
  {
    let (web, sources) = (try socket(), try socket())
    defer { for fd in [web, sources] { close(fd) } }
    let address = try #require(Socket.localAddress(of: web))
    let sourceAddress = try #require(Socket.localAddress(of: sources))
    for _ in 0..<2 {
      // The request waits at the manager's socket until there is a relay.
      let client = try StreamClient(
        to: .ipv4(INADDR_LOOPBACK, port: try #require(address.port)), get: "/healthz")
      let process = try serve([web, sources], names: "longwave.socket:shoutcast")
      #expect(try await client.answer().status == 200)
      try await eventually("it says where it listens") {
        process.output.contains("sources \(sourceAddress)") && process.output.contains("listen")
      }
      #expect(process.output.contains(":\(try #require(address.port))/"), "\(process.output)")
      #expect(!process.output.contains(":8000/"))
      process.signal(SIGTERM)
      #expect(try await process.end() == 0)
    }
  }

  @Test(
    .enabled(
      if: Binary.find("systemd-socket-activate") != nil, "it is in Debian's package systemd"))
  func `systemd-socket-activate starts a relay with its first client`() async throws {
    let free = try socket()
    let port = try #require(Socket.localAddress(of: free)?.port)
    close(free)
    folder.write("longwave.yml", Array("stations: []\n".utf8))
    let process = try ChildProcess([
      "systemd-socket-activate", "--listen=127.0.0.1:\(port)", Binary.longwave, "serve", "--config",
      folder.path + "/longwave.yml", "--data", folder.path + "/data",
    ])
    let client = try await eventually("a socket to connect to") {
      try? StreamClient(to: .ipv4(INADDR_LOOPBACK, port: port), get: "/healthz")
    }
    #expect(try await client.answer().status == 200)
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
  }

  @Test func `a descriptor that cannot be listened on is refused by name`() async throws {
    let (datagrams, deaf) = (
      try socket(SOCK_DGRAM, listens: false), try socket(listens: false)
    )
    let file = fcntl(open("/dev/null", O_RDONLY | O_CLOEXEC), F_DUPFD_CLOEXEC, 100)
    defer { for fd in [datagrams, deaf, file] { close(fd) } }
    for (fd, words) in [
      (datagrams, "is no TCP socket; write ListenStream="),
      (deaf, "does not listen; write Accept=no"),
      (file, "is no socket"),
    ] {
      let process = try serve([fd], names: "web")
      #expect(try await process.end() == 1)
      let complaint = "descriptor 3 (web) of the service manager \(words)"
      #expect(process.log.contains(complaint), "\(process.log)")
    }
  }

  @Test func `a group may use the administration's socket where the configuration says so`()
    async throws
  {
    let group = try await ChildProcess.run(["id", "-gn"]).output.trimmingCharacters(
      in: .whitespacesAndNewlines)
    for (line, modes) in [
      ("", [0o600, 0o700]), ("admin: {socket-group: \(group)}\n", [0o660, 0o710]),
    ] {
      let own = TemporaryDirectory()
      own.write("longwave.yml", Array((line + "stations: []\n").utf8))
      let server = try await LongwaveProcess(
        ["serve", "--config", own.path + "/longwave.yml"], data: own.path + "/data")
      let found = try ["/data/longwave.sock", "/data"].map { name in
        var status = stat()
        try #require(stat(own.path + name, &status) == 0)
        return Int(status.st_mode & 0o777)
      }
      #expect(found == modes)
      server.process.signal(SIGTERM)
      #expect(try await server.process.end() == 0)
    }
    folder.write("longwave.yml", Array("admin: {socket-group: no-such-group}\n".utf8))
    let refused = try await LongwaveProcess.command(
      ["serve", "--config", folder.path + "/longwave.yml", "--listen", "127.0.0.1:0"],
      data: folder.path + "/data")
    #expect(refused.status == 1)
    #expect(
      refused.log.contains("admin: socket-group: there is no group \"no-such-group\" here"),
      "\(refused.log)")
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `a relay started by root goes on as the user, with root's port`() async throws {
    // The user must reach the data folder, which the relay makes for it, and read the configuration.
    chmod(folder.path, 0o755)
    let port = try #require(
      (600..<1024).shuffled().first { port in
        (try? Socket.probe(.ipv4(INADDR_LOOPBACK, port: UInt16(port)))) != nil
      })
    folder.write("longwave.yml", Array("stations: []\n".utf8))
    chmod(folder.path + "/longwave.yml", 0o644)
    // Sockets that a manager has left to a parent are none of this process.
    let process = try ChildProcess(
      [
        Binary.longwave, "serve", "--config", folder.path + "/longwave.yml", "--data",
        folder.path + "/new/data", "--user", "nobody", "--listen", "127.0.0.1:\(port)",
        "--listen", "127.0.0.1:0",
      ], environment: ChildProcess.plainEnvironment + ["LISTEN_FDS=1", "LISTEN_PID=1"])
    let client = try await eventually("a socket to connect to") {
      try? StreamClient(to: .ipv4(INADDR_LOOPBACK, port: UInt16(port)), get: "/healthz")
    }
    #expect(try await client.answer().status == 200)
    let nobody = try #require(getpwnam("nobody")?.pointee)
    for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.id)/task") {
      let status = try String(
        contentsOfFile: "/proc/\(process.id)/task/\(thread)/status", encoding: .utf8)
      let id = "\(nobody.pw_uid)"
      #expect(status.contains("Uid:\t\(id)\t\(id)\t\(id)\t\(id)"), "\(status)")
    }
    var owner = stat()
    for made in ["/new", "/new/data"] {
      #expect(stat(folder.path + made, &owner) == 0 && owner.st_uid == nobody.pw_uid, "\(made)")
    }
    #expect(!process.log.contains("runs as root"))
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
  }

  @Test func `a socket that somebody has removed is made again, at once with SIGHUP`()
    async throws
  {
    let data = folder.path + "/data"
    let server = try await LongwaveProcess(["serve"], data: data)
    // The configuration has nothing to do with it.
    for isTold in [false, true] {
      unlink(data + "/longwave.sock")
      if isTold { server.process.signal(SIGHUP) }
      try await eventually("it is there again") {
        try await LongwaveProcess.command(["stats"], data: data).status == 0
      }
    }
    #expect(server.process.log.contains("it is made again"), "\(server.process.log)")
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
    #expect(access(data + "/longwave.sock", F_OK) != 0)
  }

  @Test func `a user who is not there is told by name`() async throws {
    let unknown = try await LongwaveProcess.command(
      ["serve", "--user", "no-such-user", "--listen", "127.0.0.1:0"], data: folder.path + "/data")
    #expect(unknown.status == 1)
    #expect(
      unknown.log.contains("--user: there is no user \"no-such-user\" here"), "\(unknown.log)")
  }

  @Test(.enabled(if: geteuid() == 0, "it is said to root alone"))
  func `a relay that goes on as root says so`() async throws {
    let server = try await LongwaveProcess(["serve"], data: folder.path + "/data")
    #expect(server.process.log.contains("runs as root"), "\(server.process.log)")
  }

  @Test(
    .enabled("mounts are root's, and containers may forbid them") {
      try await ServiceSocketTests.canMount()
    })
  func `a machine without /proc is told that no argument can be seen`() async throws {
    let blind = try await ChildProcess.run([
      "unshare", "-m", "sh", "-c", "mount -t tmpfs none /proc && exec \"$0\" --version",
      Binary.longwave,
    ])
    #expect(blind.status == 71)
    #expect(blind.log.contains("/proc is not mounted"), "\(blind.log) \(blind.output)")
  }

  @Test func `a health check asks the relay that runs whether there is something to hear`()
    async throws
  {
    let data = folder.path + "/data"
    let absent = try await LongwaveProcess.command(["doctor", "--ready"], data: data)
    #expect(absent.status == 1 && absent.log.contains("no longwave runs on \(data)"))
    let server = try await LongwaveProcess(["serve"], data: data)
    let ready = try await LongwaveProcess.command(["doctor", "--ready"], data: data)
    #expect(ready.status == 0 && ready.output.hasPrefix("ready"), "\(ready.log)")
    // Three deaths within a minute: the fourth start leaves out what may have been the cause.
    var next = server
    for _ in 0..<3 {
      try await next.kill()
      next = try await LongwaveProcess(["serve"], data: data)
    }
    let careful = try await LongwaveProcess.command(["doctor", "--ready"], data: data)
    let page = try await HTTPExchange("GET", "/readyz", at: next.address)
    #expect(page.status == 503)
    #expect(careful.status == 1 && careful.output.hasPrefix(page.text), "\(careful.output)")
  }
}
