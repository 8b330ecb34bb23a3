/// A response's header line; the value's charset is not known here.
typealias TransferField = (name: String, value: [UInt8])

/// The lines of a response as libcurl passes them: of interim responses, of the final one, and of a trailer.
struct TransferHead {
  // libcurl itself accepts far more header lines; no real server sends so many.
  private static let fieldsMax = 128
  private static let fieldBytesMax = 64 * 1024
  /// The most bytes of a head and a trailer: libcurl ends a head of 300 KiB, and keeps every line of a trailer.
  private static let linesBytesMax = 512 << 10

  /// The kind of a line.
  enum Line {
    case status
    case field
    /// The blank line behind a head.
    case end
    /// One line too many; the reason to end the transfer.
    case excess(reason: String)
  }

  private(set) var fields: [TransferField] = []
  /// Whether a status line has come.
  private(set) var hasBegun = false
  private var fieldBytes = 0
  private var linesBytes = 0

  /// Reads one line with its line end.
  mutating func read(_ line: UnsafeRawBufferPointer) -> Line {
    linesBytes += line.count
    guard linesBytes <= Self.linesBytesMax else {
      return .excess(
        reason:
          "the lines before and behind its body have more than \(Self.linesBytesMax >> 10) KiB")
    }
    if Self.isStatusLine(line) {
      // Another response begins, after a redirect or an interim one.
      self = TransferHead()
      (hasBegun, linesBytes) = (true, line.count)
      return .status
    }
    if line.allSatisfy({ $0 == 13 || $0 == 10 }) { return .end }
    if Self.decides(line)
      || (fields.count < Self.fieldsMax && fieldBytes + line.count <= Self.fieldBytesMax)
    {
      fieldBytes += line.count
      readField(line)
    }
    return .field
  }

  /// The value of the first field with that name, given in lower case.
  subscript(name: String) -> [UInt8]? {
    fields.first { $0.name.lowercased() == name }?.value
  }

  mutating func removeFields() {
    fields.removeAll()
  }

  /// Whether a line is read however many came before it; libcurl ends a head of 300 KiB.
  private static func decides(_ line: UnsafeRawBufferPointer) -> Bool {
    let name = String(decoding: line.prefix(18), as: UTF8.self).lowercased()
    return ["location:", "content-encoding:", "transfer-encoding:"].contains(where: name.hasPrefix)
  }

  private static func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
    let start = String(decoding: line.prefix(5), as: UTF8.self).lowercased()
    return start.hasPrefix("icy ") || ["http/", "http ", "icy/1", "ice/1"].contains(start)
  }

  private mutating func readField(_ line: UnsafeRawBufferPointer) {
    if line[0] == 32 || line[0] == 9, let last = fields.indices.last {
      // A folded line, as in mail, continues the field before.
      return fields[last].value += [32] + Self.trimmed(line[...])
    }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return }
    let name = String(decoding: line[..<colon], as: UTF8.self)
    fields.append((name: name, value: Self.trimmed(line[(colon + 1)...])))
  }

  private static func trimmed(_ value: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
    let isBlank: (UInt8) -> Bool = { $0 == 32 || $0 == 9 || $0 == 13 || $0 == 10 }
    let start = value.drop(while: isBlank)
    let end = start.lastIndex { !isBlank($0) }
    return end.map { Array(start[...$0]) } ?? []
  }
}
