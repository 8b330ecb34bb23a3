import Reactor
import Timeshift
import Wire

@testable import Server

extension FuzzTarget {
  /// A request's head, and what the server reads out of it.
  static let requestHead = FuzzTarget(
    name: "request-head",
    seeds: [
      "\u{3}GET /jazz?offset=5m&burst=2s HTTP/1.0\r\nIcy-MetaData: 1\r\n\r\n",
      "\u{7}GET http://h/a%20b?at=2026-01-01T00:00:00Z HTTP/1.1\r\nHost: h:80\r\nRange: bytes=0-1\r\n\r\n",
      "\u{9}SOURCE /a ICE/1.0\nAuthorization: Basic YTpi\ncontent-type: audio/mpeg\n\n",
      "\u{20}PUT /a HTTP/1.1\r\nHost: [::1]\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
      "\u{5}OPTIONS * HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 10.0.0.1, [::1]:5, x\r\nContent-Length: 5\r\n\r\nhello",
    ].map(\.bytes)
  ) { bytes in
    var input = FuzzInput(bytes)
    let first = input.byte()
    let (text, cut) = (Array(input.rest), first >> 1)
    let isTolerant = first & 1 == 1
    let whole = try? HTTPRequestParser.parse(text.span, tolerant: isTolerant)
    let start = Array(text.prefix(min(text.count, cut * text.count / 127)))
    if let early = try? HTTPRequestParser.parse(start.span, tolerant: isTolerant) {
      promise(
        whole?.head == early.head && whole?.length == early.length, "a head changes with more bytes"
      )
    }
    if let whole { use(whole.head) }
  }

  private static func use(_ head: HTTPRequestHead) {
    promise(
      !head.path.hasControls && head.path.utf8.first == UInt8(ascii: "/"), "path \(head.path)")
    promise(!head.path.split(separator: "/").contains(".."), "a path that climbs: \(head.path)")
    for field in head.fields.list { promise(!field.value.hasControls, "a control in \(field)") }
    _ = try? StreamRequest(head, now: Moment.now().wall, in: .utc)
    let peer = SocketAddress("127.0.0.1:1")!
    let trusted = [AddressRange("127.0.0.0/8")!]
    _ = ForwardedAddress.client(of: head.fields, peer: peer, trusted: trusted)
    if let base = ForwardedAddress.base(of: head.fields, peer: peer, trusted: trusted) {
      promise(!base.hasControls, "base \(base)")
    }
    _ = LogText.withoutSecrets(target: head.target)
  }

  static let chunks = FuzzTarget(
    name: "chunks",
    seeds: [
      "\u{3}\u{5}5\r\nhello\r\n0\r\n\r\n", "\u{0}\u{1}a;x=y\r\n0123456789\r\n0\r\nA: b\r\n\r\nrest",
    ].map(\.bytes)
  ) { bytes in
    var input = FuzzInput(bytes)
    let (whole, pieces) = input.whole()
    promise(decode([whole]) == decode(pieces), "chunks depend on how they were cut")
  }

  /// nil where they are refused: how much of the body was given before that may differ.
  private static func decode(_ pieces: [[UInt8]]) -> [UInt8]? {
    var decoder = HTTPChunkDecoder()
    var body: [UInt8] = []
    do {
      for piece in pieces {
        var position = 0
        while let range = try decoder.next(in: piece.span, from: &position) { body += piece[range] }
      }
    } catch { return nil }
    return body
  }
}
