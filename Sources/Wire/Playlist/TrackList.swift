/// A list of audio files as players and people write it: m3u, m3u8, pls, xspf or cue.
public struct TrackList: Hashable, Sendable {
  public enum Format: String, Hashable, Sendable, CaseIterable {
    case m3u, pls, xspf, cue

    /// The format of a file by its name's ending, in any case; nil of another.
    public init?(name: String) {
      let ending = name.utf8.split(separator: UInt8(ascii: ".")).last ?? name.utf8[...]
      guard ending.count < name.utf8.count else { return nil }
      switch String(decoding: ending, as: UTF8.self).lowercased() {
      case "m3u", "m3u8": self = .m3u
      case "pls": self = .pls
      case "xspf", "asx": self = .xspf
      case "cue": self = .cue
      default: return nil
      }
    }
  }

  /// The most bytes of a list, and the most entries that are read.
  public static let bytesMax = StationList.bytesMax
  public static let entriesMax = StationList.itemsMax

  /// What a list has for a file, in its order: an entry, or why there is none.
  typealias Row = Result<TrackListEntry, TrackListFault>

  public internal(set) var entries: [TrackListEntry] = []
  /// What stands where an entry would and is none.
  public internal(set) var faults: [TrackListFault] = []
  /// Whether there are more entries than were read.
  public internal(set) var isCut = false

  /// Reads a list. Its content tells what it is; where it does not, its name; without a name it is one path a line.
  public init(_ bytes: [UInt8], name: String = "") throws(TrackListProblem) {
    guard bytes.count <= Self.bytesMax else { throw .tooLarge }
    guard let lines = TrackListLines(bytes) else { throw .notText }
    let format = try Self.format(of: lines, name: name)
    if format == .xspf, let fault = XMLFault(cutting: lines.text) { throw .cut(fault) }
    // One more, which tells that there are more.
    let max = Self.entriesMax + 1
    let rows =
      switch format {
      case .m3u: Self.m3u(lines, max)
      case .pls: Self.pls(lines, max)
      case .xspf: TrackListXML.rows(of: lines.text, max: max)
      case .cue: CUEReader.rows(of: lines, max: max)
      }
    isCut = rows.count == max
    for row in rows.prefix(Self.entriesMax) {
      switch row {
      case .success(let entry): entries.append(entry)
      case .failure(let fault): faults.append(fault)
      }
    }
  }

  private static func format(
    of lines: TrackListLines, name: String
  ) throws(TrackListProblem) -> Format {
    let named = Format(name: name)
    guard let first = lines.first.map({ ASCII.trimmed($0.bytes) }) else { return named ?? .m3u }
    if lines.contains(where: { $0.bytes.starts(with: "#EXT-X-".utf8) }) { throw .hls }
    if first.hasPrefix(ignoringCase: "[playlist]") || first.hasPrefix(ignoringCase: "[reference]") {
      return .pls
    }
    if first.hasPrefix(ignoringCase: "#EXTM3U") { return .m3u }
    if first.first == UInt8(ascii: "<") {
      guard XMLPlaylistReader.isPlaylist(lines.text) else { throw .unknown }
      return .xspf
    }
    if CUEReader.isCUE(lines) { return .cue }
    switch named {
    case .xspf?: throw .unknown
    case let named?: return named
    case nil:
      // A sentence of an error page is no path; a document in braces is JSON.
      if first.first == UInt8(ascii: "{") || !(name.isEmpty || name.hasSuffix(".txt")) {
        throw .unknown
      }
      return .m3u
    }
  }

  private static func m3u(_ lines: TrackListLines, _ max: Int) -> [Row] {
    var rows: [Row] = []
    var item = PlaylistItem()
    for line in lines {
      if rows.count == max { break }
      if line.bytes.first == UInt8(ascii: "#") {
        M3UReader.read(ASCII.trimmed(line.bytes), into: &item)
      } else {
        rows.append(row(line.bytes, line: line.number, item))
        item = PlaylistItem()
      }
    }
    return rows
  }

  private static func pls(_ lines: TrackListLines, _ max: Int) -> [Row] {
    let bare = lines.map { ASCII.trimmed($0.bytes) }
    return PLSReader.files(of: bare, max: max).map { file in
      row(file.place, line: lines.number(of: file.place.startIndex), file.item)
    }
  }

  private static func row(_ text: ArraySlice<UInt8>, line: Int, _ item: PlaylistItem) -> Row {
    Result { () throws(TrackListFault) in
      var entry = try TrackListEntry(text: text, line: line, isReference: false)
      entry.take(item)
      return entry
    }
  }
}

extension TrackListEntry {
  private static let hyphen = ByteNeedle(Array(" - ".utf8))

  /// Takes over what a list says of a file. Titles are written "artist - title".
  fileprivate mutating func take(_ item: PlaylistItem) {
    if let seconds = item.seconds, seconds > 0 { self.seconds = seconds }
    guard let text = item.title else { return }
    let bytes = Array(text.utf8)
    guard let between = Self.hyphen.first(in: bytes[...]) else { return title = text }
    let parts = [bytes[..<between], bytes[(between + 3)...]].map(ASCII.trimmed)
    guard !parts[0].isEmpty, !parts[1].isEmpty else { return title = text }
    artist = String(decoding: parts[0], as: UTF8.self)
    title = String(decoding: parts[1], as: UTF8.self)
  }
}

/// The reason why bytes are no list of audio files.
public enum TrackListProblem: Error, Hashable, Sendable, CustomStringConvertible {
  case tooLarge, notText, hls, unknown
  case cut(XMLFault)

  public var description: String {
    switch self {
    case .tooLarge: "is larger than \(TrackList.bytesMax / 1_048_576) MiB; split it"
    case .notText: "is not text; write a list in m3u, pls, xspf or cue"
    case .hls: "is one stream's HLS playlist, not a list of files"
    case .unknown: "is no known list of files; write m3u, pls, xspf or cue"
    case .cut(let fault): "line \(fault.line): \(fault); \(XMLFault.cutAdvice)"
    }
  }
}
