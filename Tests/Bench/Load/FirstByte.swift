import Foundation
import Reactor

/// A listener that waits for its first byte of audio.
enum FirstByte {
  static func canConnect(to port: UInt16) -> Bool {
    guard let fd = try? Socket.connect(to: Loopback.address(port: port)) else { return false }
    Socket.close(fd)
    return true
  }

  /// Asks again and again until there is audio; returns when it came, in monotonic nanoseconds.
  static func wait(port: UInt16, path: String, within seconds: Double) throws -> Int64 {
    let deadline = monotonicNow() + Int64(seconds * 1e9)
    while monotonicNow() < deadline {
      if let came = try ask(port, path, until: deadline) { return came }
      usleep(10_000)
    }
    throw BenchError("no audio within \(Int(seconds)) s")
  }

  /// Returns nil where the server is not there, refuses, or hangs up.
  private static func ask(_ port: UInt16, _ path: String, until deadline: Int64) throws -> Int64? {
    guard let fd = try? Socket.connect(to: Loopback.address(port: port)) else { return nil }
    defer { Socket.close(fd) }
    let request = "GET \(path) HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n"
    guard request.withCString({ write(fd, $0, strlen($0)) }) > 0 else { return nil }
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while monotonicNow() < deadline {
      var entry = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 100) > 0 else { continue }
      let count = read(fd, &buffer, buffer.count)
      if count < 0 && errno == EAGAIN { continue }
      guard count > 0 else { return nil }
      received += buffer[..<count]
      guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
      let status = String(decoding: received.prefix(20), as: UTF8.self).split(separator: " ")
      guard status.count > 1, status[1].hasPrefix("200") else { return nil }
      if received.count > end.upperBound { return monotonicNow() }
    }
    return nil
  }
}
