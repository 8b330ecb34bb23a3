import Wire

/// An index as text, a record a line, for people who look for a fault.
public enum SegmentDump {
  public static func lines(of index: [UInt8]) -> [String] {
    index.withUnsafeBytes { bytes in
      switch SegmentHeader.read(bytes) {
      case .invalid: ["not an index"]
      case .unknownVersion(let version): ["an index of format version \(version)"]
      case .header(let header, let seed): [line(header)] + records(bytes, seed)
      }
    }
  }

  private static func line(_ header: SegmentHeader) -> String {
    let format = header.format
    return "segment of \(format.codec.name), \(format.sampleRate) Hz, \(format.channels) channels "
      + "from \(place(header.start)), on air \(header.air.seconds)"
  }

  private static func records(_ bytes: UnsafeRawBufferPointer, _ seed: UInt32) -> [String] {
    var reader = ByteReader(bytes, at: SegmentFormat.headerBytes)
    var lines: [String] = []
    while let record = SegmentRecord.read(&reader, seed: seed) { lines.append(line(record)) }
    if reader.left > 0 { lines.append("\(reader.left) bytes that are no record") }
    return lines
  }

  private static func line(_ record: SegmentRecord) -> String {
    switch record {
    case .span(let span):
      "span \(place(span.start)), \(span.packets.count) packets, \(span.bytes) bytes"
    case .title(let position, let media, let title):
      "title \"\(title.text)\" at \(place(LogPoint(position: position, media: media)))"
    case .gap(let gap): "gap of \(gap.seconds) s (\(gap.cause)) at \(gap.position)"
    case .anchor(let position, let media, let wall):
      "anchor at \(place(LogPoint(position: position, media: media))), on air \(wall.seconds)"
    case .footer(let footer):
      "sealed at \(place(footer.end)), \(footer.packets) packets in \(footer.spans) spans"
    case .unknown: "record of an unknown kind"
    }
  }

  private static func place(_ point: LogPoint) -> String {
    "\(point.position) (\(point.media.seconds) s)"
  }
}
