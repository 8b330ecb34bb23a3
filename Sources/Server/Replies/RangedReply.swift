import Timeshift
import Wire

/// Answer to a request for something of known length, except for the bytes on the disk: status, fields, and which bytes
/// in which order.
struct RangedReply: Hashable {
  enum Piece: Hashable {
    /// Text between parts.
    case text([UInt8])
    /// Bytes of the whole.
    case part(Range<Int>)

    var count: Int {
      switch self {
      case .text(let bytes): bytes.count
      case .part(let range): range.count
      }
    }
  }

  var status: Int
  var mediaType: String
  var fields: [HTTPFields.Field]
  var pieces: [Piece]
  /// Bytes of the whole.
  let wholeLength: Int

  var length: Int { pieces.reduce(0) { $0 + $1.count } }

  /// - Parameters:
  ///   - whole: length of the whole in bytes.
  ///   - tag: entity tag of the whole, with its quotation marks.
  ///   - boundary: used where the answer has several parts.
  init(
    _ whole: Int, tag: String, mediaType: String, boundary: @autoclosure () -> String,
    fields: [HTTPFields.Field] = [], to head: HTTPRequestHead
  ) {
    wholeLength = whole
    self.mediaType = mediaType
    self.fields =
      [.init(name: "Accept-Ranges", value: "bytes"), .init(name: "ETag", value: tag)] + fields
    (status, pieces) = (200, [.part(0..<whole)])
    // A range is part of what GET answers, and of nothing else (RFC 9110, section 14.2).
    guard head.method == "GET" else { return }
    switch ByteRanges.wanted(head.fields, of: whole, tag: tag) {
    case .whole: break
    case .unsatisfiable:
      (status, pieces) = (416, [])
      self.fields.append(.init(name: "Content-Range", value: "bytes */\(whole)"))
    case .parts(let parts) where parts.count == 1:
      (status, pieces) = (206, [.part(parts[0])])
      self.fields.append(
        .init(name: "Content-Range", value: Self.contentRange(parts[0], of: whole)))
    case .parts(let parts):
      status = 206
      divide(parts, of: whole, boundary: boundary())
    }
  }

  private static func contentRange(_ range: Range<Int>, of length: Int) -> String {
    "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
  }

  /// Divides the answer into parts, as multipart/byteranges (RFC 9110, section 14.6).
  private mutating func divide(_ parts: [Range<Int>], of length: Int, boundary: String) {
    pieces = parts.flatMap { part -> [Piece] in
      let text =
        "\r\n--\(boundary)\r\nContent-Type: \(mediaType)\r\n"
        + "Content-Range: \(Self.contentRange(part, of: length))\r\n\r\n"
      return [.text(Array(text.utf8)), .part(part)]
    }
    pieces.append(.text(Array("\r\n--\(boundary)--\r\n".utf8)))
    mediaType = "multipart/byteranges; boundary=\(boundary)"
  }
}

extension RangedReply {
  /// - Parameter air: when the clip's first packet was on air, for the file's name.
  init(_ clip: Clip, of station: String, air: WallTime, to head: HTTPRequestHead) {
    let codec = clip.format.codec
    let name = "\(station)-\(air.compact).\(codec.fileExtension)"
    self.init(
      clip.byteCount, tag: Self.tag(of: clip), mediaType: codec.mediaType,
      boundary: "longwave-\(clip.firstHash)",
      fields: [.init(name: "Content-Disposition", value: "attachment; filename=\"\(name)\"")],
      to: head)
  }

  /// The clip's entity tag: its positions and the hash of its first packet. Another station of this name may have had
  /// other packets there.
  static func tag(of clip: Clip) -> String {
    "\"\(clip.start.position)-\(clip.end.position)-\(String(clip.firstHash, radix: 16))\""
  }
}
