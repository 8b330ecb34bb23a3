import Media
import Timeshift
import Wire

/// Answer to a request for a file, except for the bytes on the disk.
struct FileReply {
  var status: Int
  var mediaType: String
  var fields: [HTTPFields.Field]
  /// Which bytes are sent; nil when they are made while they are sent, up to the connection's end.
  var ranged: RangedReply?

  init(_ found: FoundFile, to head: HTTPRequestHead) {
    let identity = found.file.identity
    let codec = found.facts.format.codec
    let tag = Self.tag(of: found)
    let seconds = identity.modified / 1_000_000_000
    fields =
      found.order.map { [$0.disposition] } ?? [CacheControl.revalidate]
    // The date of a file that grows says too little: it has more a moment later.
    if found.bytesMax == nil {
      fields.append(.init(name: "Last-Modified", value: TimestampText.httpDate(seconds)))
    }
    if let length = Self.length(of: found) {
      fields.append(.init(name: "X-Content-Duration", value: Self.decimal(length)))
    }
    (status, mediaType) = (200, codec.mediaType)
    if found.request.span != nil, found.region == nil || found.request.span?.repeats == true {
      fields.append(.init(name: "Accept-Ranges", value: "none"))
      return
    }
    if Self.isKnown(
      to: head.fields, tag: tag, modified: found.bytesMax == nil ? seconds : .max)
    {
      status = 304
      fields.append(.init(name: "ETag", value: "\"\(tag)\""))
      return
    }
    var asked = head
    // A date says the same as the tag where it is the file's own date.
    if found.bytesMax == nil, asked.fields["If-Range"] == TimestampText.httpDate(seconds) {
      asked.fields.remove("If-Range")
    }
    let ranged = RangedReply(
      found.wholeLength, tag: "\"\(tag)\"", mediaType: mediaType, boundary: "longwave-\(tag)",
      fields: fields, to: asked)
    (status, mediaType, fields) = (ranged.status, ranged.mediaType, ranged.fields)
    self.ranged = ranged
  }

  /// Returns the tag of a file's content, with the part where only a part was asked for.
  private static func tag(of found: FoundFile) -> String {
    let identity = found.file.identity
    let own = [identity.inode, identity.bytes, UInt64(bitPattern: identity.modified)]
    let part = found.region.map { [$0.range.lowerBound, $0.range.upperBound] } ?? []
    let known = found.bytesMax.map { [$0] } ?? []
    return (own + part + known).map { String($0, radix: 16) }.joined(separator: "-")
  }

  /// Returns the seconds of what is sent; nil when they are not known, or without end.
  private static func length(of found: FoundFile) -> Double? {
    guard let span = found.request.span else { return found.index?.duration.seconds }
    if span.repeats { return nil }
    if let region = found.region { return region.length.seconds }
    guard let duration = found.index?.duration else { return nil }
    return (min(span.to ?? duration, duration) - span.from).seconds
  }

  /// Returns seconds to the millisecond.
  private static func decimal(_ seconds: Double) -> String {
    let milliseconds = Int(bounded: (seconds * 1000).rounded())
    let fraction = String(1000 + milliseconds % 1000).dropFirst()
    return "\(milliseconds / 1000).\(fraction)"
  }

  /// Whether the client has the file already (RFC 9110, section 13.2.2).
  private static func isKnown(to fields: HTTPFields, tag: String, modified: Int64) -> Bool {
    if fields["If-None-Match"] != nil { return EntityTag(opaque: tag).isNamed(in: fields) }
    guard let since = fields["If-Modified-Since"].flatMap(TimestampText.httpDate) else {
      return false
    }
    return modified <= since
  }
}

extension FoundFile {
  /// Bytes of what has a length: the file, or the made frames and the packets of a region.
  var wholeLength: Int {
    region.map { $0.leadIn.count + Int($0.range.upperBound - $0.range.lowerBound) }
      ?? Int(clamping: min(file.bytes, bytesMax ?? .max))
  }
}

extension FoundFile {
  /// Pieces of an answer without an end; in Ogg there are none.
  var endless: [RangedReply.Piece] { region == nil ? [] : [.part(0..<wholeLength)] }
}
