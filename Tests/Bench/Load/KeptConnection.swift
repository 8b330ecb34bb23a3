import Foundation
import Reactor

/// A connection of a browser for short questions, one after the other.
final class KeptConnection {
  struct Answer {
    var status: Int
    var etag: String?
    var body: [UInt8]
  }

  let fd: Int32
  private(set) var askedAt: Int64?
  private var received: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  init(from source: UInt32, to port: UInt16) throws {
    fd = try Loopback.beginConnecting(from: source, to: port, segmentBytes: 0)
    try wait(Int16(POLLOUT))
  }

  deinit { Socket.close(fd) }

  func send(_ request: String, at now: Int64) throws {
    let bytes = Array(request.utf8)
    guard bytes.withUnsafeBytes({ write(fd, $0.baseAddress, $0.count) }) == bytes.count else {
      throw BenchError("a question was not taken")
    }
    askedAt = now
  }

  /// Returns the answer, once all of it is there.
  func receive() throws -> Answer? {
    let taken = buffer.withUnsafeMutableBytes { Socket.receive(fd, into: $0) }
    switch taken {
    case .wouldBlock: return nil
    case .ended: throw BenchError("the relay hung up on a question")
    case .bytes(let count): received += buffer[..<count]
    }
    guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self)
      .components(separatedBy: "\r\n")
    let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    let length = Self.field("content-length", in: lines).flatMap { Int($0) } ?? 0
    let bytes = end.upperBound + (status == 304 ? 0 : length)
    guard received.count >= bytes else { return nil }
    let body = Array(received[end.upperBound..<bytes])
    received.removeFirst(bytes)
    askedAt = nil
    return Answer(status: status, etag: Self.field("etag", in: lines), body: body)
  }

  /// Asks and waits for the answer.
  func ask(_ request: String) throws -> Answer {
    try send(request, at: monotonicNow())
    while true {
      try wait(Int16(POLLIN))
      if let answer = try receive() { return answer }
    }
  }

  private func wait(_ events: Int16) throws {
    var wanted = pollfd(fd: fd, events: events, revents: 0)
    guard poll(&wanted, 1, 10_000) == 1 else { throw BenchError("no answer within 10 s") }
  }

  private static func field(_ name: String, in lines: [String]) -> String? {
    lines.first { $0.lowercased().hasPrefix(name + ":") }
      .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
  }
}
