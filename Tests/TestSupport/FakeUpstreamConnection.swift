import Glibc
import Timeshift

/// One connection of a `FakeUpstream`, on its thread.
struct FakeConnection {
  let fd: Int32
  let request: FakeUpstream.Request
  let reply: FakeReply
  let programme: FakeProgramme

  func run() {
    sendHead()
    switch reply.body {
    case .silence: while sleepOrGone(1) {}
    case .bytes(let bytes): _ = FakeSocket.send(fd, bytes)
    case .pieces(let pieces, let pause, let thenCloses):
      for piece in pieces {
        guard FakeSocket.send(fd, piece), pause == 0 || sleepOrGone(pause) else { return }
      }
      while !thenCloses && sleepOrGone(1) {}
    case .stream(let stream): FakeStreamSender(self, stream).run()
    }
  }

  private func sendHead() {
    guard let statusLine = reply.statusLine else { return }
    var head = statusLine + "\r\n"
    for (name, value) in reply.fields { head += "\(name): \(value)\r\n" }
    if case .stream(let stream) = reply.body, let metaint = metaint(of: stream) {
      head += "icy-metaint:\(metaint)\r\n"
    }
    _ = FakeSocket.send(fd, Array((head + "\r\n").utf8))
  }

  func metaint(of stream: FakeStream) -> Int? {
    request.fields["icy-metadata"] == "1" ? stream.metaint : nil
  }

  /// False when the client has gone or `goAway` was called.
  func sleepOrGone(_ seconds: Double) -> Bool {
    var poll = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&poll, 1, Int32(max(0, seconds * 1000))) > 0 else { return true }
    var byte: UInt8 = 0
    return recv(fd, &byte, 1, Int32(MSG_DONTWAIT)) > 0
  }
}

/// Sends the programme with blocks, chunks and accidents.
private struct FakeStreamSender {
  let connection: FakeConnection
  let stream: FakeStream
  private var untilBlock: Int
  private let metaint: Int?
  private var lastTitle: [UInt8]?
  private var audioSent = 0
  private let began = MonotonicTime.now()

  init(_ connection: FakeConnection, _ stream: FakeStream) {
    self.connection = connection
    self.stream = stream
    metaint = connection.metaint(of: stream)
    untilBlock = metaint ?? .max
  }

  consuming func run() {
    var sender = self
    sender.sendAll()
  }

  private mutating func sendAll() {
    let programme = connection.programme
    var n = stream.unpacedFrom ?? programme.first(burst: stream.burst)
    let opening = stream.preroll + (stream.opening?(n) ?? [])
    guard send(audio: opening, packet: n) else { return }
    var cut = stream.cutFront
    while true {
      if stream.unpacedFrom == nil, programme.wait(for: n) > 0 {
        guard connection.sleepOrGone(programme.wait(for: n)) else { return }
      }
      let packet = Array(programme.packet(n).dropFirst(cut))
      cut = 0
      if let end = stream.closeAfterSeconds,
        Double(MonotonicTime.now().nanoseconds - began.nanoseconds) / 1e9 >= end
      {
        _ = send(audio: Array(packet.prefix(packet.count / 2)), packet: n)
        return
      }
      guard send(audio: packet, packet: n) else { return }
      n += 1
    }
  }

  /// False: this connection is over.
  private mutating func send(audio: [UInt8], packet n: Int) -> Bool {
    var audio = audio[...]
    if let limit = stream.closeAfterBytes { audio = audio.prefix(limit - audioSent) }
    if let limit = stream.stallAfterBytes { audio = audio.prefix(limit - audioSent) }
    audioSent += audio.count
    guard write(interleaved(audio, packet: n)) else { return false }
    if let limit = stream.closeAfterBytes, audioSent >= limit { return false }
    if let limit = stream.stallAfterBytes, audioSent >= limit {
      while connection.sleepOrGone(1) {}
      return false
    }
    return true
  }

  private mutating func interleaved(_ audio: ArraySlice<UInt8>, packet n: Int) -> [UInt8] {
    guard let metaint else { return Array(audio) }
    var (out, rest): ([UInt8], ArraySlice<UInt8>) = ([], audio)
    while rest.count >= untilBlock {
      out += rest.prefix(untilBlock)
      rest = rest.dropFirst(untilBlock)
      out += block(connection.programme.title(at: n))
      untilBlock = metaint
    }
    untilBlock -= rest.count
    return out + rest
  }

  private mutating func block(_ title: [UInt8]?) -> [UInt8] {
    guard let title, title != lastTitle else { return [0] }
    lastTitle = title
    var text = title
    if !stream.hasRawBlocks { text = Array("StreamTitle='".utf8) + title + Array("';".utf8) }
    return FakeStream.block(text)
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    if bytes.isEmpty { return true }
    guard connection.reply.isChunked else { return FakeSocket.send(connection.fd, bytes) }
    let size = Array((String(bytes.count, radix: 16) + "\r\n").utf8)
    return FakeSocket.send(connection.fd, size + bytes + [13, 10])
  }
}
