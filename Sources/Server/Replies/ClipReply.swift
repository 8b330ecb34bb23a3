import Timeshift
import Wire

/// How a request for a clip is answered, but for what is on the disk: status, fields, and which bytes in which order.
struct ClipReply: Hashable {
  var status: Int
  var mediaType: String
  var fields: [HTTPFields.Field]
  var pieces: [ClipBody.Piece]

  var length: Int { pieces.reduce(0) { $0 + $1.count } }

  /// - Parameter air: when the clip's first packet was on air, for the file's name.
  init(_ clip: Clip, of station: String, air: WallTime, to head: HTTPRequestHead) {
    let tag = Self.tag(of: clip)
    let codec = clip.format.codec
    let name = "\(station)-\(TimestampText.compact(air.nanoseconds)).\(codec.fileExtension)"
    fields = [
      .init(name: "Accept-Ranges", value: "bytes"),
      .init(name: "ETag", value: tag),
      .init(name: "Content-Disposition", value: "attachment; filename=\"\(name)\""),
    ]
    mediaType = codec.mediaType
    (status, pieces) = (200, [.part(0..<clip.byteCount)])
    // A range is part of what GET answers, and of nothing else (RFC 9110, section 14.2).
    guard head.method == "GET" else { return }
    switch ByteRanges.wanted(head.fields, of: clip.byteCount, tag: tag) {
    case .whole: break
    case .unsatisfiable:
      (status, pieces) = (416, [])
      fields.append(.init(name: "Content-Range", value: "bytes */\(clip.byteCount)"))
    case .parts(let parts) where parts.count == 1:
      (status, pieces) = (206, [.part(parts[0])])
      fields.append(
        .init(name: "Content-Range", value: Self.contentRange(parts[0], of: clip.byteCount)))
    case .parts(let parts):
      status = 206
      divide(parts, of: clip.byteCount, boundary: "longwave-\(clip.firstHash)")
    }
  }

  /// The same for the same packets, and for no others: it says where they are, and what the first one is, since another
  /// station of this name may have had its packets at the same places.
  static func tag(of clip: Clip) -> String {
    "\"\(clip.start.position)-\(clip.end.position)-\(String(clip.firstHash, radix: 16))\""
  }

  private static func contentRange(_ range: Range<Int>, of length: Int) -> String {
    "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
  }

  /// multipart/byteranges (RFC 9110, section 14.6).
  private mutating func divide(_ parts: [Range<Int>], of length: Int, boundary: String) {
    pieces = parts.flatMap { part -> [ClipBody.Piece] in
      let text =
        "\r\n--\(boundary)\r\nContent-Type: \(mediaType)\r\n"
        + "Content-Range: \(Self.contentRange(part, of: length))\r\n\r\n"
      return [.text(Array(text.utf8)), .part(part)]
    }
    pieces.append(.text(Array("\r\n--\(boundary)--\r\n".utf8)))
    mediaType = "multipart/byteranges; boundary=\(boundary)"
  }
}
