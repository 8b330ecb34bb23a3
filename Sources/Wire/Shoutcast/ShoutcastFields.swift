/// Reads the fields that a SHOUTcast 1 source sends before its audio: `name:value` lines up to an empty one.
///
/// Lines end in `\n`, with or without `\r`. A line that is no field is passed over.
public struct ShoutcastFields {
  /// The fields: names as received, values as bytes, since the protocol names no charset.
  public private(set) var list: [(name: String, value: [UInt8])] = []
  public private(set) var isComplete = false
  private var line: [UInt8] = []
  private var count = 0

  static let bytesMax = 16 * 1024
  private static let fieldsMax = 100

  public init() {}

  /// The error for a source that sends too many bytes before its audio.
  public struct TooLong: Error, Hashable {
    public let message = "the source sent more than 16 KiB of fields and no audio"
  }

  /// Reads bytes up to the end of the fields, and returns how many bytes that were.
  public mutating func read(_ bytes: Span<UInt8>) throws(TooLong) -> Int {
    var position = 0
    while position < bytes.count, !isComplete {
      let byte = bytes[position]
      position += 1
      count += 1
      if byte == ASCII.lineFeed {
        endLine()
      } else if count >= Self.bytesMax {
        throw TooLong()
      } else {
        line.append(byte)
      }
    }
    return position
  }

  private mutating func endLine() {
    while line.last == ASCII.carriageReturn { line.removeLast() }
    defer { line.removeAll(keepingCapacity: true) }
    if line.isEmpty {
      isComplete = true
      return
    }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
      line[..<colon].allSatisfy(ASCII.isToken), list.count < Self.fieldsMax
    else { return }
    let name = String(decoding: line[..<colon], as: UTF8.self)
    list.append((name, Array(ASCII.trimmed(line[(colon + 1)...]))))
  }
}
