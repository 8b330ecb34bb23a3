@_spi(_Unicode) import Swift
import Wire

/// An HLS playlist taken apart by the rules of RFC 8216bis §4, apart from the program's own writer.
public struct ReadPlaylist: Sendable {
  public struct Tag: Sendable {
    public var name: String
    public var value: String
  }

  public struct Segment: Sendable, Hashable {
    public var number: Int
    public var url: String
    /// EXTINF in units of 10 µs; nil where there is none.
    public var length: Int?
    public var extinf: String
    /// The date told for it, or following from the one told before, in nanoseconds since 1970.
    public var date: Int64?
    public var isDated: Bool
    public var isGap: Bool
    /// The discontinuities before it, its own included.
    public var discontinuities: Int
    public var map: String?
  }

  /// The tags that are for the list, and those that came with a wrong line.
  public private(set) var tags: [Tag] = []
  public private(set) var segments: [Segment] = []
  public private(set) var violations: [PlaylistRules.Violation] = []
  /// Of a multivariant playlist: the tag and the address that follows.
  public private(set) var variants: [(attributes: [String: String], url: String)] = []

  public func value(_ name: String) -> String? { tags.first { $0.name == name }?.value }

  public func number(_ name: String) -> Int? { value(name).flatMap { Int($0) } }

  public func attributes(_ name: String) -> [String: String]? {
    value(name).map { Self.attributes($0).found }
  }

  /// The segments that are left out in front of those listed.
  public var skipped: Int { attributes("EXT-X-SKIP")?["SKIPPED-SEGMENTS"].flatMap { Int($0) } ?? 0 }

  public var isFinished: Bool { value("EXT-X-ENDLIST") != nil }

  public var dateRanges: [[String: String]] {
    tags.filter { $0.name == "EXT-X-DATERANGE" }.map { Self.attributes($0.value).found }
  }

  /// Counts on from what is left out in front, which this list does not tell.
  mutating func countDiscontinuities(after count: Int) {
    let told = number("EXT-X-DISCONTINUITY-SEQUENCE") ?? 0
    for index in segments.indices { segments[index].discontinuities += count - told }
  }

  /// Seconds of all listed segments, in units of 10 µs.
  public var length: Int { segments.reduce(0) { $0 + ($1.length ?? 0) } }

  static let onceTags: Set = [
    "EXTM3U", "EXT-X-VERSION", "EXT-X-TARGETDURATION", "EXT-X-SERVER-CONTROL",
    "EXT-X-INDEPENDENT-SEGMENTS", "EXT-X-MEDIA-SEQUENCE", "EXT-X-DISCONTINUITY-SEQUENCE",
    "EXT-X-PLAYLIST-TYPE", "EXT-X-START", "EXT-X-SKIP", "EXT-X-ENDLIST",
  ]
  static let segmentTags: Set = [
    "EXTINF", "EXT-X-DISCONTINUITY", "EXT-X-MAP", "EXT-X-PROGRAM-DATE-TIME", "EXT-X-GAP",
  ]
  static let listTags: Set = ["EXT-X-TARGETDURATION", "EXT-X-MEDIA-SEQUENCE", "EXTINF"]
  private static let otherTags: Set = ["EXT-X-DATERANGE", "EXT-X-STREAM-INF"]

  public init(_ text: [UInt8]) {
    lines(text)
    let lines = text.split(separator: 10, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    var pending: [Tag] = []
    for line in lines where !line.isEmpty {
      if line.hasPrefix("#EXT") {
        let parts = line.dropFirst().split(
          separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        add(Tag(name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : ""), &pending)
      } else if !line.hasPrefix("#") {
        address(line, pending)
        pending = []
      }
    }
    if !pending.isEmpty { complain(.segment, "tags of a segment that does not come") }
  }

  private mutating func complain(_ rule: PlaylistRules.Rule, _ text: String) {
    violations.append(.init(rule: rule, text: text))
  }

  /// §4.1: UTF-8 in normal form C, without a mark in front and without controls.
  private mutating func lines(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      return complain(.text, "not UTF-8")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { complain(.text, "a byte order mark") }
    if !text.utf8.starts(with: "#EXTM3U\n".utf8) { complain(.text, "does not begin with #EXTM3U") }
    if bytes.last != 10 { complain(.text, "does not end with a line feed") }
    if !text._nfc.elementsEqual(text.unicodeScalars) { complain(.text, "not in normal form C") }
    for scalar in text.unicodeScalars {
      // A tab parts the ids of titles that are gone.
      let isControl = scalar.value < 32 || (0x7F..<0xA0).contains(scalar.value)
      if isControl, scalar != "\n", scalar != "\t" { complain(.text, "a control, \(scalar.value)") }
      if scalar.value == 0x2028 || scalar.value == 0x2029 { complain(.text, "a line separator") }
    }
  }

  private mutating func add(_ tag: Tag, _ pending: inout [Tag]) {
    if Self.segmentTags.contains(tag.name) {
      if tag.name != "EXT-X-MAP", pending.contains(where: { $0.name == tag.name }) {
        complain(.segment, "\(tag.name) twice for a segment")
      }
      pending.append(tag)
      return
    }
    if tag.name == "EXT-X-STREAM-INF" { pending.append(tag) }
    if !Self.onceTags.contains(tag.name), !Self.otherTags.contains(tag.name) {
      complain(.tag, "an unknown tag \(tag.name)")
    }
    if Self.onceTags.contains(tag.name), value(tag.name) != nil {
      complain(.tag, "\(tag.name) twice")
    }
    let isHead = ["EXT-X-MEDIA-SEQUENCE", "EXT-X-DISCONTINUITY-SEQUENCE", "EXT-X-SKIP"].contains(
      tag.name)
    if isHead, !segments.isEmpty || !pending.isEmpty {
      complain(.tag, "\(tag.name) behind the first segment")
    }
    tags.append(tag)
  }

  private mutating func address(_ url: String, _ pending: [Tag]) {
    if url.utf8.contains(where: { $0 <= 32 || $0 == 127 || $0 == UInt8(ascii: "\"") }) {
      complain(.address, "an address that is not escaped: \(url)")
    }
    if let variant = pending.first(where: { $0.name == "EXT-X-STREAM-INF" }) {
      variants.append((attributes(of: variant), url))
      return
    }
    if value("EXT-X-STREAM-INF") != nil { return complain(.variant, "an address without its tag") }
    let before = segments.last
    var segment = Segment(
      number: before.map { $0.number + 1 } ?? (number("EXT-X-MEDIA-SEQUENCE") ?? 0) + skipped,
      url: url, length: nil, extinf: "", date: nil, isDated: false, isGap: false,
      discontinuities: before?.discontinuities ?? number("EXT-X-DISCONTINUITY-SEQUENCE") ?? 0,
      map: before?.map)
    if let before, let date = before.date, let length = before.length {
      segment.date = date + Int64(length) * 10_000
    }
    for tag in pending { apply(tag, to: &segment) }
    if segment.length == nil { complain(.segment, "no EXTINF of \(url)") }
    segments.append(segment)
  }

  private mutating func apply(_ tag: Tag, to segment: inout Segment) {
    switch tag.name {
    case "EXTINF":
      segment.extinf = tag.value
      segment.length = Self.units(tag.value)
      if segment.length == nil { complain(.segment, "EXTINF:\(tag.value)") }
    case "EXT-X-DISCONTINUITY": segment.discontinuities += 1
    case "EXT-X-GAP": segment.isGap = true
    case "EXT-X-PROGRAM-DATE-TIME":
      segment.date = Self.date(tag.value)
      segment.isDated = true
      if segment.date == nil { complain(.date, "no date: \(tag.value)") }
    default:
      segment.map = attributes(of: tag)["URI"]
      if segment.map == nil { complain(.map, "EXT-X-MAP without URI") }
    }
  }

  /// A date with its zone, in nanoseconds since 1970.
  static func date(_ text: String) -> Int64? {
    text.contains("T") ? try? TimestampText.parse(text) : nil
  }

  /// Reads EXTINF; nil unless it is a number, at most five decimals, and a comma.
  private static func units(_ text: String) -> Int? {
    let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let number = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let decimals = number.count > 1 ? String(number[1]) : ""
    guard (number[0] + decimals).allSatisfy({ $0.isASCII && $0.isNumber }), !number[0].isEmpty,
      decimals.count <= 5, let whole = Int(number[0])
    else { return nil }
    return whole * 100_000 + (Int(decimals.padding(5)) ?? 0)
  }

  private mutating func attributes(of tag: Tag) -> [String: String] {
    let read = Self.attributes(tag.value)
    if let problem = read.problem { complain(.attribute, "\(tag.name): \(problem)") }
    return read.found
  }

  /// §4.2: names of capitals, digits and hyphens, values in quotes or without; commas between, and no blanks.
  static func attributes(_ text: String) -> (found: [String: String], problem: String?) {
    var found: [String: String] = [:]
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let name = rest.prefix { $0 != UInt8(ascii: "=") }
      let isName = name.allSatisfy {
        (65...90).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-")
      }
      guard !name.isEmpty, isName, name.endIndex < rest.endIndex else {
        return (found, "a name: \(String(decoding: name, as: UTF8.self))")
      }
      rest = rest[(name.endIndex + 1)...]
      var value = rest.prefix { $0 != UInt8(ascii: ",") }
      if rest.first == UInt8(ascii: "\"") {
        value = rest.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
        guard value.endIndex < rest.endIndex else { return (found, "quotes that do not end") }
        rest = rest[(value.endIndex + 1)...]
      } else {
        if value.isEmpty || value.contains(where: { $0 <= 32 || $0 == UInt8(ascii: "\"") }) {
          return (found, "a value: \(String(decoding: value, as: UTF8.self))")
        }
        rest = rest[value.endIndex...]
      }
      let key = String(decoding: name, as: UTF8.self)
      if found[key] != nil { return (found, "\(key) twice") }
      found[key] = String(decoding: value, as: UTF8.self)
      if rest.isEmpty { break }
      guard rest.first == UInt8(ascii: ","), rest.count > 1 else { return (found, "no comma") }
      rest = rest.dropFirst()
    }
    return (found, found.isEmpty ? "none" : nil)
  }
}

extension String {
  fileprivate func padding(_ count: Int) -> String {
    self + String(repeating: "0", count: max(0, count - self.count))
  }
}
