import Glibc
import Reactor

/// Connections that watch events, each from its own address. It reads the beginnings of their answers only.
final class EventWatchers {
  private(set) var sockets: [Int32] = []
  /// The part number of the source addresses; no load process has such a high number.
  private static let part = 249
  private static let patienceMilliseconds: Int32 = 10_000

  /// - Parameter query: The query of `/events`, with its question mark.
  init(_ count: Int, of query: String, port: UInt16) throws {
    let request = Array("GET /events\(query) HTTP/1.1\r\nHost: bench\r\n\r\n".utf8)
    for index in 0..<count {
      let fd = try Loopback.beginConnecting(
        from: Loopback.source(part: Self.part, index: index), to: port, segmentBytes: 0)
      sockets.append(fd)
      try wait(fd, Int16(POLLOUT))
      guard request.withUnsafeBytes({ write(fd, $0.baseAddress, $0.count) }) == request.count else {
        throw BenchError("a watcher's request was not taken")
      }
      try wait(fd, Int16(POLLIN))
      var answer = [UInt8](repeating: 0, count: 1024)
      let count = read(fd, &answer, answer.count)
      guard count > 12, answer.prefix(count).starts(with: Array("HTTP/1.1 200".utf8)) else {
        throw BenchError("watcher \(index) was refused: \(String(decoding: answer, as: UTF8.self))")
      }
    }
  }

  deinit { for fd in sockets { Socket.close(fd) } }

  private func wait(_ fd: Int32, _ events: Int16) throws {
    var wanted = pollfd(fd: fd, events: events, revents: 0)
    guard poll(&wanted, 1, Self.patienceMilliseconds) == 1 else {
      throw BenchError("a watcher was not answered in time")
    }
  }
}
