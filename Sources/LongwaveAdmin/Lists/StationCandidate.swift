import Foundation
import Longwave
import Wire

/// A station that a file describes, which may be added to a relay.
public struct StationCandidate: Hashable, Sendable {
  /// The station's name in messages.
  public var label: String
  /// The station's definition; its id is `""` where the file gives none.
  var definition: StationDefinition
  /// Whether the file describes the station completely; if not, what it omits stays as it is.
  var isWhole: Bool
  /// The reason why it cannot be a station; nil when it can.
  var problem: String?
  /// The parts that were left out, in words.
  var notes: [String] = []
}

extension StationCandidate {
  /// Makes a candidate from one entry of a list, or from several with one name, which become the station's upstreams.
  ///
  /// - Parameter base: The URL of the list; empty for a file.
  init(_ items: [PlaylistItem], base: String) {
    let name = items.first?.title.flatMap(Self.name)
    let entries = items.flatMap { $0.entries(base: base) }.filter { WebURL.isValid($0.url) }
    let urls = entries.map(\.url)
    var seen: Set<String> = []
    let different = urls.filter { seen.insert($0).inserted }
    let most = ConfigurationLimits.upstreamsMax
    definition = StationDefinition(id: "", name: name, upstream: Array(different.prefix(most)))
    label = name ?? (urls.first ?? items.first?.place).map(URLText.withoutSecrets) ?? "an entry"
    isWhole = false
    if urls.isEmpty {
      let place = URLText.withoutSecrets(items.first?.place ?? "")
      problem =
        place.isEmpty
        ? "has no address" : "\"\(place)\" is not a URL that begins with http:// or https://"
    }
    if different.count > most {
      notes.append("\(different.count - most) addresses left out: a station has at most \(most)")
    }
    for item in items { add(item) }
    add(entries.first?.headers ?? [])
  }

  /// Adds the header lines that a list writes behind the first address, as Kodi's do.
  private mutating func add(_ headers: [String]) {
    let userAgent = "user-agent: "
    for line in headers where !definition.connection.requestHeaders.contains(line) {
      if line.lowercased().hasPrefix(userAgent) {
        definition.userAgent = text(String(line.dropFirst(userAgent.count)), max: 256)
      } else if let line = try? ValueRule<String>.headerLine.parse(line) {
        definition.connection.requestHeaders.append(line)
      }
    }
  }

  private mutating func add(_ item: PlaylistItem) {
    definition.genre = definition.genre ?? text(item.genre, max: 256)
    definition.description = definition.description ?? text(item.description, max: 1024)
    definition.artwork = definition.artwork ?? url(item.artwork, "artwork")
    definition.homepage = definition.homepage ?? url(item.homepage, "homepage")
  }

  private func text(_ text: String?, max: Int) -> String? {
    guard let text, !text.isEmpty else { return nil }
    return String(text.prefix(max))
  }

  private mutating func url(_ text: String?, _ what: String) -> String? {
    guard let text, !text.isEmpty else { return nil }
    if WebURL.isValid(text) { return text }
    let note = "\(what) left out: not a web URL"
    if !notes.contains(note) { notes.append(note) }
    return nil
  }

  /// Returns the name without the prefix that SHOUTcast's directory adds: `(#1 - 42/5000) Jazz`.
  private static func name(_ title: String) -> String? {
    let bare =
      !title.hasPrefix("(#") ? title : title.replacing(/^\(#\d+ - [^)]*\d+\/\d+\)\s*/, with: "")
    return bare.isEmpty ? nil : String(bare.prefix(256))
  }
}

extension StationCandidate {
  /// Reads all stations of a file: a list in any format, or YAML with `stations:`.
  ///
  /// - Parameters:
  ///   - name: The file's name, for messages and for its ending.
  ///   - base: The URL against which relative addresses are resolved; empty for a file.
  public static func read(
    _ bytes: [UInt8], name: String, base: String = ""
  ) throws(ConfigurationError) -> [StationCandidate] {
    let bytes = utf8(bytes)
    if let stations = try StationsYAML.read(bytes, name: name) {
      return stations.map {
        StationCandidate(label: $0.name ?? $0.id, definition: $0, isWhole: true)
      }
    }
    let items: [PlaylistItem]
    do throws(StationListProblem) {
      items = try StationList.items(bytes, name: name)
    } catch {
      throw ConfigurationError(name, line: error.line, "\(error)")
    }
    try refuse(items.count, over: ConfigurationLimits.entriesMax, "entries", name)
    let groups = grouped(items)
    try refuse(groups.count, over: ConfigurationLimits.stationsMax, "stations", name)
    return groups.map { StationCandidate($0, base: base) }
  }

  private static func refuse(
    _ count: Int, over most: Int, _ what: String, _ name: String
  ) throws(ConfigurationError) {
    guard count > most else { return }
    throw ConfigurationError(name, "has \(count) \(what); at most \(most) are taken: split it")
  }

  /// Groups adjacent entries that have one name.
  private static func grouped(_ items: [PlaylistItem]) -> [[PlaylistItem]] {
    var groups: [[PlaylistItem]] = []
    var last: String?
    for item in items {
      let title = item.title.flatMap(name)
      if let title, title == last {
        groups[groups.count - 1].append(item)
      } else {
        groups.append([item])
      }
      last = title
    }
    return groups
  }

  /// Returns the bytes as UTF-8 without a byte order mark. Windows programs save UTF-16 as "Unicode".
  private static func utf8(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
    return UTF16Text.utf8(bytes) ?? bytes
  }
}
