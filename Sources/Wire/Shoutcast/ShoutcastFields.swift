/// Reads what a SHOUTcast 1 source says of itself before its audio: `name:value` lines up to an empty one.
///
/// Lines end in `\n`, with or without `\r`; what is no field is passed over.
public struct ShoutcastFields {
  /// Names as they came, values as bytes: nobody says in which charset they are.
  public private(set) var list: [(name: String, value: [UInt8])] = []
  public private(set) var isComplete = false
  private var line: [UInt8] = []
  private var count = 0

  static let bytesMax = 16 * 1024
  private static let fieldsMax = 100

  public init() {}

  /// What cannot be the fields of a source.
  public struct TooLong: Error, Hashable {
    public let message = "the source said more than 16 KiB of itself, and sent no audio"
  }

  /// Takes bytes up to the end of the fields; says how many that were.
  public mutating func take(_ bytes: Span<UInt8>) throws(TooLong) -> Int {
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
