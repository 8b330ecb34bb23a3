import Foundation
import Reactor

/// Makes a file of frames for the bench.
enum BenchFile {
  /// Writes numbered frames at 128 kbit/s until the file has `bytes` bytes.
  static func make(_ path: String, bytes: Int) throws {
    let fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard fd >= 0 else { throw SystemError(call: "open", on: path, code: errno) }
    defer { close(fd) }
    var frames = StampedFrames(bitrate: 128)
    var buffer: [UInt8] = []
    var written = 0
    while written < bytes {
      buffer.removeAll(keepingCapacity: true)
      while buffer.count < 1 << 20 { frames.append(to: &buffer, stamp: 0) }
      guard write(fd, buffer, buffer.count) == buffer.count else {
        throw SystemError(call: "write", on: path, code: errno)
      }
      written += buffer.count
    }
  }
}

/// Listeners of a file that one thread reads, and compares with the file byte by byte.
struct FileLoad {
  private struct Listener {
    var fd: Int32
    var place: Int
    var head: [UInt8] = []
    var hasHead = false
    var bytes = 0
  }

  private let file: Int32
  private let fileBytes: Int
  private let port: UInt16
  private var random: UInt64
  private var listeners: [Listener] = []
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private var expected = [UInt8](repeating: 0, count: 65_536)
  private(set) var bytes = 0
  private var faults: [String] = []

  init(path: String, port: UInt16, seed: UInt64) throws {
    file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw SystemError(call: "open", on: path, code: errno) }
    fileBytes = Int(lseek(file, 0, SEEK_END))
    self.port = port
    random = seed
  }

  /// The faults seen; a listener that got no byte is a fault as well.
  var errors: [String] {
    let silent = listeners.count { $0.bytes == 0 }
    return faults + (silent > 0 ? ["\(silent) listeners got nothing"] : [])
  }

  /// Waits until the server answers a part by time, for which it must have counted all packets.
  mutating func waitUntilServing(seconds: Double) throws {
    let deadline = monotonicNow() + Int64(seconds * 1e9)
    while monotonicNow() < deadline {
      if let fd = try? Socket.connect(to: Loopback.address(port: port)) {
        defer { Socket.close(fd) }
        let request = "GET /shows/large.mp3?from=0&to=1 HTTP/1.0\r\nHost: a\r\n\r\n"
        _ = Array(request.utf8).withUnsafeBytes { write(fd, $0.baseAddress, $0.count) }
        var entry = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        let left = max(0, (deadline - monotonicNow()) / 1_000_000)
        if poll(&entry, 1, Int32(left)) > 0 { return }
      }
      usleep(200_000)
    }
    throw BenchError("the file is not served after \(Int(seconds)) s")
  }

  mutating func connect(_ count: Int) throws {
    for _ in 0..<count {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let place = Int(random >> 16) % (fileBytes - fileBytes / 100)
      let fd = try Socket.connect(to: Loopback.address(port: port))
      let request =
        "GET /shows/large.mp3 HTTP/1.1\r\nHost: a\r\nRange: bytes=\(place)-\r\n\r\n"
      _ = Array(request.utf8).withUnsafeBytes { write(fd, $0.baseAddress, $0.count) }
      listeners.append(Listener(fd: fd, place: place))
    }
  }

  mutating func read(for seconds: Double) {
    let deadline = monotonicNow() + Int64(seconds * 1e9)
    var entries = listeners.map { pollfd(fd: $0.fd, events: Int16(POLLIN), revents: 0) }
    while monotonicNow() < deadline {
      _ = poll(&entries, nfds_t(entries.count), 100)
      for index in entries.indices where entries[index].revents != 0 { receive(index, &entries) }
    }
  }

  private mutating func receive(_ index: Int, _ entries: inout [pollfd]) {
    let received = buffer.withUnsafeMutableBytes { Socket.receive(listeners[index].fd, into: $0) }
    switch received {
    case .wouldBlock: break
    case .ended:
      faults.append("listener \(index) was ended after \(listeners[index].bytes) bytes")
      entries[index].fd = -1
    case .bytes(let count): take(index, count)
    }
  }

  private mutating func take(_ index: Int, _ count: Int) {
    var start = 0
    if !listeners[index].hasHead {
      let before = listeners[index].head.count
      listeners[index].head += buffer[..<count]
      guard let end = listeners[index].head.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
      listeners[index].hasHead = true
      start = end.upperBound - before
      listeners[index].head = []
    }
    let body = count - start
    let place = listeners[index].place
    guard pread(file, &expected, body, off_t(place)) == body,
      buffer[start..<count].elementsEqual(expected[..<body])
    else {
      faults.append("listener \(index) got other bytes at \(place)")
      return
    }
    listeners[index].place += body
    listeners[index].bytes += body
    bytes += body
  }
}
