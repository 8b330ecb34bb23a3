import Glibc
import Reactor

/// One relay that pulls from the paced upstream.
struct UpstreamClient {
  let fd: Int32
  private var request: [UInt8] = []
  /// The position of the next byte to send; nil until the request has arrived.
  private var cursor: UInt64?
  /// Audio bytes until the next ICY block; nil without titles.
  private var untilBlock: Int?
  private var lastTitle: Int?
  /// Bytes that have been made but that the socket has not accepted yet.
  private var pending: [UInt8] = []
  private(set) var isGone = false

  /// The pending bytes above which a relay counts as gone.
  private static let pendingBytesMax = 16 << 20

  init(fd: Int32) { self.fd = fd }

  var awaitsRequest: Bool { cursor == nil }

  /// Reads the missing part of the request, and answers a whole request.
  mutating func readRequest(history: FrameHistory, burstSeconds: Double) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let answer = buffer.withUnsafeMutableBytes { Socket.receive(fd, into: $0) }
    guard case .bytes(let count) = answer, request.count < 16_384 else {
      if case .wouldBlock = answer { return }
      isGone = true
      return
    }
    request += buffer[..<count]
    let text = String(decoding: request, as: UTF8.self).lowercased()
    guard text.contains("\r\n\r\n") else { return }
    let wantsTitles = text.contains("icy-metadata:1") || text.contains("icy-metadata: 1")
    untilBlock = wantsTitles ? BenchTitle.metaint : nil
    pending = Self.head(bitrate: history.frames.bitrate, wantsTitles: wantsTitles)
    cursor = history.start(secondsBack: burstSeconds)
    request = []
  }

  /// Writes all bytes up to the edge, as far as the socket accepts them.
  mutating func write(from history: FrameHistory) {
    guard var position = cursor else { return }
    guard position >= history.oldest, pending.count < Self.pendingBytesMax else {
      isGone = true
      return
    }
    while position < history.edge {
      let end = min(history.edge, position + UInt64(untilBlock ?? .max))
      pending += history[position..<end]
      untilBlock = untilBlock.map { $0 - Int(end - position) }
      position = end
      if untilBlock == 0 { appendBlock(title: history.title(at: position)) }
    }
    cursor = position
    flush()
  }

  private mutating func appendBlock(title: Int) {
    pending += BenchTitle.block(title == lastTitle ? nil : title)
    lastTitle = title
    untilBlock = BenchTitle.metaint
  }

  private mutating func flush() {
    guard !pending.isEmpty else { return }
    switch pending.withUnsafeBytes({ Loopback.send(fd, $0) }) {
    case .bytes(let count): pending.removeFirst(count)
    case .wouldBlock: break
    case .ended: isGone = true
    }
  }

  private static func head(bitrate: Int, wantsTitles: Bool) -> [UInt8] {
    var lines = ["HTTP/1.0 200 OK", "Content-Type: audio/mpeg", "icy-name: Longwave Bench"]
    lines += ["icy-br: \(bitrate)"]
    if wantsTitles { lines += ["icy-metaint: \(BenchTitle.metaint)"] }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }
}
