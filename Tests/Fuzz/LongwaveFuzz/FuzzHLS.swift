@testable import Wire

extension FuzzTarget {
  /// A path behind `/hls/`, directives of a query, and what a player tells of itself.
  static let hlsRequest = FuzzTarget(
    name: "hls-request",
    seeds: [
      "main.m3u8", "4f9a2c71b03d-6a/15883-1.mp3", "4f9a2c71b03d-6a/init-3.mp4",
      "4f9a2c71b03d-10a/p5-417.m4s", "s6a5f0c80-00000000000000ff/4f9a2c71b03d-6a/7.aac",
      "_HLS_msn=12&_HLS_skip=v2&CMCD=sid%3D%22a%22", "br=1,sid=\"a\\\"b\",su",
    ].map(\.bytes)
  ) { bytes in
    if case .piece(let name, let seal) = HLSPath(bytes) {
      promise(Array(((seal?.text ?? "") + name.text).utf8) == bytes, "a second spelling of \(name)")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let query = HTTPQuery(raw: text)
    do throws(HLSDirectives.Refusal) {
      _ = try HLSDirectives(query)
    } catch {
      promise(error.message.hasPrefix(error.key), error.message)
    }
    if let session = CMCD.session(in: text) {
      promise(1...64 ~= session.utf8.count, "a session of \(session.utf8.count) bytes")
    }
    _ = CMCD.session(query, HTTPFields([("CMCD-Session", text)]))
  }

  /// Pages as a log's damaged segment might have them.
  static let hlsPackets = FuzzTarget(name: "hls-packets", seeds: oggSeeds) { bytes in
    var input = FuzzInput(bytes)
    let heard = input.byte() << 4
    let stream = oggStream(Array(input.rest))
    let head = "OpusHead".bytes + [1, 2, 0x38, 1, 0x80, 0xBB, 0, 0, 0, 0, 0]
    guard
      let headers = OggHeaders(identification: head, comments: VorbisComments(), further: []),
      let writer = FragmentWriter(headers)
    else { fatalError("headers of Opus") }
    var packets = OggPackets(headers)
    let before = packets
    for pages in [stream, Array(input.rest)] {
      if packets.add(pages.span, heard: heard) { continue }
      promise(packets == before || !packets.packets.isEmpty, "half of what is refused is kept")
    }
    promise(packets.bytes.count == packets.packets.reduce(0) { $0 + $1.bytes }, "lengths")
    promise(packets.packets.allSatisfy { $0.samples > 0 }, "a packet without length")
    let count = packets.bytes.count
    let fragment = writer.fragment(packets, media: 0..<Int64(heard) * 14_700, number: 1)
    promise(fragment.suffix(count).elementsEqual(packets.bytes), "other bytes")
  }
}
