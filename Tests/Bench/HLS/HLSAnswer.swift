import Glibc

/// One answer of a connection with one question at a time.
struct HLSAnswer {
  private(set) var status = 0
  private(set) var byteCount = 0
  /// The body, where it is kept.
  private(set) var body: [UInt8] = []
  /// FNV-1a of the body, where that is kept.
  private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  private var head: [UInt8] = []
  private var length: Int?
  private var isChunked = false
  /// What has come of the next chunk.
  private var chunk: [UInt8] = []
  private let kept: Kept

  /// What is kept of a body besides its length.
  enum Kept { case nothing, bytes, hash }

  init(keeping kept: Kept) { self.kept = kept }

  /// Takes in what has come; true once the answer is whole.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes[...]
    if length == nil {
      let before = head.count
      head.append(contentsOf: bytes)
      guard let end = head.firstRange(of: Self.blankLine) else { return false }
      read(String(decoding: head[..<end.lowerBound], as: UTF8.self))
      rest = bytes[(end.upperBound - before)...]
      head = []
    }
    if isChunked { return takeChunks(rest) }
    add(rest)
    return byteCount >= length ?? 0
  }

  private mutating func add(_ bytes: some Collection<UInt8>) {
    byteCount += bytes.count
    switch kept {
    case .nothing: break
    case .bytes: body.append(contentsOf: bytes)
    case .hash: for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
  }

  /// Takes in chunks (RFC 9112, section 7.1), which a cache sends where it unpacks what it has packed.
  private mutating func takeChunks(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    chunk.append(contentsOf: bytes)
    var start = 0
    defer { chunk.removeFirst(start) }
    while let line = chunk[start...].firstRange(of: Self.lineEnd) {
      let digits = String(decoding: chunk[start..<line.lowerBound], as: UTF8.self)
      guard let count = Int(digits, radix: 16) else {
        status = 0
        return true
      }
      let end = line.upperBound + count
      guard chunk.count >= end + 2 else { return false }
      add(chunk[line.upperBound..<end])
      start = end + 2
      if count == 0 { return true }
    }
    return false
  }

  private static let lineEnd = Array("\r\n".utf8)
  private static let blankLine = Array("\r\n\r\n".utf8)

  private mutating func read(_ head: String) {
    length = 0
    for (number, line) in head.split(separator: "\r\n").enumerated() {
      if number == 0 {
        status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      } else if line.lowercased().hasPrefix("content-length:") {
        length = Int(line.dropFirst(15).drop { $0 == " " })
      } else if line.lowercased() == "transfer-encoding: chunked" {
        isChunked = true
      }
    }
  }
}
