import Foundation
import Longwave
import Synchronization
import TestSupport
import Testing

/// What a service manager is told, by a socket that takes datagrams as systemd's does.
@Suite struct ServiceManagerTests {
  @Test(arguments: [false, true])
  func `a service manager is told of the start, of life, of a reload and of the end`(
    isAbstract: Bool
  ) async throws {
    let folder = TemporaryDirectory()
    let manager = try FakeManager(in: folder, isAbstract: isAbstract)
    let process = try relay(in: folder, "stations: []\n", manager)
    try await eventually("the relay is ready") { manager.said("READY=1") }
    #expect(process.output.contains("listen"))
    try await eventually("it lives") { manager.count("WATCHDOG=1") >= 3 }
    #expect(manager.said("STATUS=0 stations, 0 listeners"))
    process.signal(SIGHUP)
    try await eventually("it has read the configuration again") {
      manager.count("READY=1") == 2
    }
    #expect(manager.said("RELOADING=1"))
    #expect(manager.lines.contains { $0.wholeMatch(of: /MONOTONIC_USEC=[0-9]+/) != nil })
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
    try await eventually("it has said that it stops") { manager.said("STOPPING=1") }
  }

  @Test func `the status for a service manager counts stations that are off air`() async throws {
    let folder = TemporaryDirectory()
    let manager = try FakeManager(in: folder)
    let stations = "stations: [{id: jazz, upstream: \"http://127.0.0.1:1/\"}]\n"
    let process = try relay(in: folder, stations, manager)
    try await eventually("the station counts as off air") {
      manager.said("STATUS=1 station, 0 listeners, 1 off air")
    }
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
  }

  @Test func `log lines are JSON objects with log format json`() async throws {
    let folder = TemporaryDirectory()
    let manager = try FakeManager(in: folder)
    let stations =
      "log: {format: json}\nstations: [{id: jazz, upstream: \"http://127.0.0.1:1/\"}]\n"
    let process = try relay(in: folder, stations, manager)
    try await eventually("the station's trouble is logged") {
      process.log.contains("\"station\":\"jazz\"")
    }
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
    for line in process.log.split(separator: "\n") {
      let object = try #require(JSON.parse(Array(line.utf8)), "\(line)")
      for key in ["time", "level", "message"] { #expect(object[key] != nil, "\(line)") }
    }
  }

  /// Not waited for: whether it is ready is what its manager is told.
  private func relay(
    in folder: TemporaryDirectory, _ configuration: String, _ manager: FakeManager
  ) throws -> ChildProcess {
    folder.write("longwave.yml", Array(configuration.utf8))
    return try ChildProcess(
      [
        Binary.longwave, "serve", "--config", folder.path + "/longwave.yml", "--data",
        folder.path + "/data", "--listen", "127.0.0.1:0",
      ],
      environment: ChildProcess.plainEnvironment + [
        "NOTIFY_SOCKET=\(manager.address)", "WATCHDOG_USEC=400000",
      ])
  }
}

/// A socket that takes datagrams, and keeps their lines.
final class FakeManager {
  let address: String
  private let fd: Int32
  private let taken = Taken()

  /// Filled by a thread: the few datagrams that wait at a socket keep whoever sends the next from it.
  private final class Taken: Sendable {
    let lines = Mutex<[String]>([])

    func take(from fd: Int32) {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = recv(fd, &buffer, buffer.count, 0)
        if count < 0, errno == EINTR { continue }
        // Nothing is left to come when the socket is shut down.
        guard count > 0 else { break }
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        lines.withLock { $0 += text.split(separator: "\n").map(String.init) }
      }
      close(fd)
    }
  }

  init(in folder: TemporaryDirectory, isAbstract: Bool = false) throws {
    let path = folder.path + "/manager"
    address = isAbstract ? "@" + path : path
    fd = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { bytes in
      bytes.copyBytes(from: Array(address.utf8))
      if isAbstract { bytes[0] = 0 }
    }
    let length = MemoryLayout<sa_family_t>.size + address.utf8.count + (isAbstract ? 0 : 1)
    let code = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(fd, $0, socklen_t(length)) }
    }
    guard code == 0 else {
      defer { close(fd) }
      throw TimeIsUp(description: "bind: \(errno)")
    }
    Thread.detachNewThread { [taken, fd] in taken.take(from: fd) }
  }

  deinit { shutdown(fd, Int32(SHUT_RDWR)) }

  var lines: [String] { taken.lines.withLock { $0 } }

  func count(_ line: String) -> Int { lines.count { $0 == line } }
  func said(_ line: String) -> Bool { count(line) > 0 }
}
