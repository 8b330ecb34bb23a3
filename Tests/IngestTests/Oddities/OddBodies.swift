import TestSupport
import Wire

/// Bytes for odd upstreams to send. Every audio frame made here is whole by its header, and differs from the others.
enum Odd {
  /// The usual body: 24 numbered frames.
  static let body = NumberedFrames.stream(0..<24)

  /// A head of these lines and a body, then silence.
  static func answer(_ lines: String..., body: [UInt8] = body, lineEnd: String = "\r\n")
    -> FakeReply
  {
    .raw(head(lines, lineEnd: lineEnd) + body)
  }

  /// The same with header bytes that are no UTF-8.
  static func answer(field: [UInt8], body: [UInt8] = body) -> FakeReply {
    .raw(
      Array("HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\n".utf8) + field + Array("\r\n\r\n".utf8)
        + body)
  }

  /// A good head with these fields besides.
  static func good(_ fields: String..., body: [UInt8] = body) -> FakeReply {
    .raw(head(["HTTP/1.0 200 OK", "Content-Type: audio/mpeg"] + fields) + body)
  }

  /// The same, and the connection ends with the body.
  static func closing(_ fields: String..., body: [UInt8] = body) -> FakeReply {
    let all = head(["HTTP/1.1 200 OK", "Content-Type: audio/mpeg"] + fields) + body
    return FakeReply(statusLine: nil, body: .pieces([all], pause: 0, thenCloses: true))
  }

  /// The body in pieces, a moment apart.
  static func pieces(_ all: [UInt8], of size: Int) -> FakeReply {
    let pieces = stride(from: 0, to: all.count, by: size).map {
      Array(all[$0..<min($0 + size, all.count)])
    }
    return FakeReply(
      statusLine: nil, body: .pieces(pieces, pause: 0.001, thenCloses: false))
  }

  static func head(_ lines: [String], lineEnd: String = "\r\n") -> [UInt8] {
    Array((lines.joined(separator: lineEnd) + lineEnd + lineEnd).utf8)
  }

  // MARK: Frames

  /// MPEG frames with this header, each `bytes` long.
  static func mpeg(_ header: [UInt8], bytes: Int, count: Int = 12) -> [UInt8] {
    (0..<count).flatMap { n in
      header + [UInt8](repeating: 0, count: 36) + filling(bytes - header.count - 36, n)
    }
  }

  /// 44.1 kHz, 128 kbit/s: what the header of a numbered frame says, in mono.
  static let mono = mpeg([0xFF, 0xFB, 0x90, 0xC4], bytes: 417)
  /// 48 kHz, 128 kbit/s.
  static let rate48 = mpeg([0xFF, 0xFB, 0x94, 0x04], bytes: 384)
  /// 22.05 kHz (MPEG-2), 64 kbit/s.
  static let rate22 = mpeg([0xFF, 0xF3, 0x80, 0x04], bytes: 208)
  /// 11.025 kHz (MPEG-2.5), 32 kbit/s.
  static let rate11 = mpeg([0xFF, 0xE3, 0x40, 0x04], bytes: 208)
  /// Layer II at 48 kHz, 192 kbit/s.
  static let layer2 = mpeg([0xFF, 0xFD, 0xA4, 0x04], bytes: 576)
  /// Frames that do not say how long they are.
  static let freeFormat = mpeg([0xFF, 0xFB, 0x00, 0x04], bytes: 700)

  /// AAC-LC frames in ADTS.
  static func adts(
    rateIndex: UInt8 = 4, channels: UInt8 = 2, bytes: Int = 200, hasCRC: Bool = false,
    count: Int = 12
  ) -> [UInt8] {
    (0..<count).flatMap { n -> [UInt8] in
      let header: [UInt8] = [
        0xFF, hasCRC ? 0xF0 : 0xF1, 0x40 | rateIndex << 2 | channels >> 2,
        (channels & 3) << 6 | UInt8(bytes >> 11), UInt8(bytes >> 3 & 0xFF),
        UInt8(bytes & 7) << 5 | 0x1F, 0xFC,
      ]
      return header + filling(bytes - header.count, n)
    }
  }

  /// Nothing in it looks like the beginning of a frame or a tag.
  static func filling(_ count: Int, _ seed: Int) -> [UInt8] {
    var random = SplitMix(seed: UInt64(seed + 1))
    return (0..<max(0, count)).map { _ in UInt8(truncatingIfNeeded: random.next()) & 0x3F }
  }

  // MARK: Tags

  static func id3v2(_ bytes: Int) -> [UInt8] {
    let size = (0..<4).reversed().map { UInt8(bytes >> ($0 * 7) & 0x7F) }
    return Array("ID3".utf8) + [4, 0, 0] + size + filling(bytes, 99)
  }

  static let id3v1 = Array("TAG".utf8) + filling(125, 98)

  /// An APE tag of a footer and nothing else.
  static let ape =
    Array("APETAGEX".utf8) + [0xD0, 7, 0, 0, 32, 0, 0, 0] + [UInt8](repeating: 0, count: 16)

  // MARK: ICY blocks

  static func block(_ text: String) -> [UInt8] { FakeStream.block(Array(text.utf8)) }

  /// A stream with a block after every 1,000 bytes of audio: these, then empty ones.
  static func interleaved(_ blocks: [[UInt8]], audio: [UInt8] = body) -> [UInt8] {
    var (rest, left, all): (ArraySlice<UInt8>, ArraySlice<[UInt8]>, [UInt8]) = (
      audio[...], blocks[...], []
    )
    while rest.count >= 1000 {
      all += rest.prefix(1000)
      rest = rest.dropFirst(1000)
      all += left.popFirst() ?? [0]
    }
    return all + rest
  }

  /// A SHOUTcast stream with these blocks, then silence.
  static func shoutcast(_ blocks: [UInt8]..., audio: [UInt8] = body) -> FakeReply {
    .raw(
      head(["ICY 200 OK", "content-type:audio/mpeg", "icy-metaint:1000"])
        + interleaved(blocks, audio: audio))
  }
}

extension FakeReply {
  /// The same pieces with one more behind them.
  func followed(by rest: ArraySlice<UInt8>) -> FakeReply {
    guard case .pieces(let pieces, let pause, let thenCloses) = body else { return self }
    var reply = self
    reply.body = .pieces(pieces + [Array(rest)], pause: pause, thenCloses: thenCloses)
    return reply
  }
}
