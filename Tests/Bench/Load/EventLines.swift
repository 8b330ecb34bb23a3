import Foundation
import Reactor

/// A connection that is told events of some kinds.
final class EventLines {
  private let fd: Int32
  private var received: [UInt8] = []

  /// - Parameter kinds: separated by commas.
  init(_ kinds: String, port: UInt16) throws {
    fd = try Socket.connect(to: Loopback.address(port: port))
    let request = "GET /events?kinds=\(kinds) HTTP/1.1\r\nHost: bench\r\n\r\n"
    _ = request.withCString { write(fd, $0, strlen($0)) }
    let head = try line(within: 10)
    guard head?.contains(" 200 ") == true else {
      throw BenchError("the relay tells no events of the kinds \(kinds) yet")
    }
  }

  deinit { Socket.close(fd) }

  /// Returns the next event; nil if none comes in time.
  func next(within seconds: Double) throws -> [String: Any]? {
    let deadline = monotonicNow() + Int64(seconds * 1e9)
    while let line = try line(within: Double(deadline - monotonicNow()) / 1e9) {
      guard line.hasPrefix("data: ") else { continue }
      let event = try JSONSerialization.jsonObject(with: Data(line.dropFirst(6).utf8))
      return event as? [String: Any]
    }
    return nil
  }

  private func line(within seconds: Double) throws -> String? {
    let deadline = monotonicNow() + Int64(seconds * 1e9)
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      if let end = received.firstIndex(of: 10) {
        defer { received.removeFirst(end + 1) }
        return String(decoding: received[..<end].filter { $0 != 13 }, as: UTF8.self)
      }
      let left = (deadline - monotonicNow()) / 1_000_000
      guard left > 0 else { return nil }
      var entry = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, Int32(min(left, 60_000))) > 0 else { continue }
      let count = read(fd, &buffer, buffer.count)
      if count < 0 && errno == EAGAIN { continue }
      guard count > 0 else { throw BenchError("the relay has hung up on who is told events") }
      received += buffer[..<count]
    }
  }
}
