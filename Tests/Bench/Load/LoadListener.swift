import Glibc
import Reactor

/// One listener of the load: its connection, its answer, and the course of its audio.
struct LoadListener {
  enum Phase {
    case connecting
    /// The connection is in the TLS handshake.
    case shakingHands
    case awaitingHead, streaming
    /// The listener was not served, was refused or answered other than with 200, or has left.
    case refused
    /// The server ended the connection while it was streaming.
    case closed
  }

  private static let headBytesMax = 8192

  let fd: Int32
  private(set) var phase = Phase.connecting
  /// When the connection was begun, in monotonic nanoseconds.
  let begun: Int64
  private(set) var hasFirstByte = false
  var windowBytes: UInt64 = 0
  /// When audio last came in this window; below, the longest time without audio and when that ended. All in monotonic
  /// nanoseconds.
  private var heardAt: Int64 = 0
  private var silence: Int64 = 0
  private(set) var silenceEnd: Int64 = 0

  private(set) var frames: FrameFollower
  private(set) var icy = ICYFollower(metaint: 0)
  private var head: [UInt8] = []
  private let stream: TLSStream?

  /// - Parameter context: The TLS context; nil without TLS.
  init(fd: Int32, begun: Int64, comparesFiller: Bool, context: TLSContext? = nil) {
    self.fd = fd
    self.begun = begun
    stream = context.flatMap { TLSStream($0, fd: fd) }
    frames = FrameFollower(comparesFiller: comparesFiller)
    phase = fd < 0 ? .refused : .connecting
  }

  var isOpen: Bool {
    switch phase {
    case .connecting, .shakingHands, .awaitingHead, .streaming: true
    case .refused, .closed: false
    }
  }

  var hasRequested: Bool { phase == .awaitingHead || phase == .streaming }

  /// Whether the window need not wait for this listener any more.
  var isSettled: Bool { hasFirstByte || !isOpen }

  mutating func beginWindow(at now: Int64) {
    windowBytes = 0
    heardAt = now
    silence = 0
    silenceEnd = now
  }

  /// Returns the longest time without audio in the window, which ends at `now`.
  func longestSilence(at now: Int64) -> Int64 { max(silence, now - heardAt) }

  /// Sends the request if the connection is established; else continues the handshake.
  mutating func sendRequest(_ request: [UInt8]) {
    guard phase == .connecting || phase == .shakingHands else { return }
    if let stream {
      switch stream.shakeHands() {
      case .done: break
      case .wantsRead:
        phase = .shakingHands
        return
      case .wantsWrite: return
      case .ended, .failed: return end()
      }
    }
    switch request.withUnsafeBytes({ Loopback.send(fd, $0, by: stream) }) {
    case .bytes: phase = .awaitingHead
    case .wouldBlock: break
    case .ended: end()
    }
  }

  /// Receives bytes, at most one record of an encrypted stream.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transferred {
    guard let stream else { return Socket.receive(fd, into: buffer) }
    return hasRequested ? stream.receive(into: buffer) : .wouldBlock
  }

  /// Whether a read of `count` bytes into `room` has emptied the socket. If the end of the stream follows, the poller
  /// reports it.
  func isDrained(by count: Int, room: Int) -> Bool { stream == nil && count < room }

  /// Ends the connection from the listener's side.
  mutating func leave() {
    guard isOpen else { return }
    phase = .refused
    Socket.close(fd)
  }

  mutating func end() {
    guard isOpen else { return }
    phase = hasFirstByte ? .closed : .refused
    Socket.close(fd)
  }

  /// Counts and checks the bytes that were read at `now`.
  @inline(__always)
  mutating func take(_ bytes: UnsafeRawBufferPointer, at now: Int64, figures: inout LoadFigures) {
    var body = bytes
    if phase == .awaitingHead {
      guard let rest = takeHead(bytes) else { return }
      body = rest
    }
    guard phase == .streaming, !body.isEmpty else { return }
    if !hasFirstByte {
      hasFirstByte = true
      figures.firstByte.record(nanoseconds: now - begun)
    }
    windowBytes += UInt64(body.count)
    if now - heardAt > silence {
      silence = now - heardAt
      silenceEnd = now
    }
    heardAt = now
    let begun = begun
    var index = 0
    while let audio = icy.next(in: body, from: &index) {
      frames.consume(UnsafeRawBufferPointer(rebasing: body[audio])) { stamp in
        figures.windowFrames += 1
        if stamp >= begun { figures.latency.record(nanoseconds: now - stamp) }
      }
    }
  }

  /// Returns the body's first bytes once the head is whole; nil before that.
  private mutating func takeHead(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    for index in bytes.indices {
      head.append(bytes[index])
      if bytes[index] == 10 && head.count >= 4 && head.suffix(4) == [13, 10, 13, 10] {
        read(head: String(decoding: head, as: UTF8.self).lowercased())
        head = []
        return UnsafeRawBufferPointer(rebasing: bytes[(index + 1)...])
      }
    }
    if head.count > Self.headBytesMax { end() }
    return nil
  }

  private mutating func read(head: String) {
    let lines = head.split(separator: "\r\n")
    guard lines.first?.split(separator: " ").dropFirst().first == "200" else { return end() }
    phase = .streaming
    for line in lines where line.hasPrefix("icy-metaint:") {
      let value = line.dropFirst("icy-metaint:".count).drop { $0 == " " }
      icy = ICYFollower(metaint: Int(value) ?? 0)
    }
  }
}
