import Glibc

/// One answer of a connection with one question at a time.
struct HLSAnswer {
  private(set) var status = 0
  private(set) var byteCount = 0
  /// The body, where it is kept.
  private(set) var body: [UInt8] = []
  private var head: [UInt8] = []
  private var length: Int?
  private let keepsBody: Bool

  init(keepsBody: Bool) { self.keepsBody = keepsBody }

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
    byteCount += rest.count
    if keepsBody { body.append(contentsOf: rest) }
    return byteCount >= length ?? 0
  }

  private static let blankLine = Array("\r\n\r\n".utf8)

  private mutating func read(_ head: String) {
    length = 0
    for (number, line) in head.split(separator: "\r\n").enumerated() {
      if number == 0 {
        status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      } else if line.lowercased().hasPrefix("content-length:") {
        length = Int(line.dropFirst(15).drop { $0 == " " })
      }
    }
  }
}

/// What a player takes from a media playlist.
struct HLSListEnd {
  /// The number of the segment that comes next.
  let next: UInt64
  /// The newest segment's address, relative to the list.
  let newest: String

  init?(_ body: [UInt8]) {
    var next: UInt64?
    var newest: Substring?
    for line in String(decoding: body, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("#EXT-X-MEDIA-SEQUENCE:") {
        next = UInt64(line.dropFirst(22))
      } else if line.hasPrefix("#EXT-X-SKIP:SKIPPED-SEGMENTS=") {
        let digits = line.dropFirst(29).prefix { $0.isNumber }
        next = UInt64(digits).flatMap { skipped in next.map { $0 + skipped } }
      } else if line.hasPrefix("#EXTINF") {
        next = next.map { $0 + 1 }
      } else if !line.hasPrefix("#") {
        newest = line
      }
    }
    guard let next, let newest else { return nil }
    self.next = next
    self.newest = String(newest)
  }
}
