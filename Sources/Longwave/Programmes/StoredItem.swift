import Programmes
import Timeshift
import Wire

/// An item that plays or was played, as it is written down.
struct StoredItem: Codable, Hashable, Sendable {
  private var item: UInt64
  private var kind: String
  private var track: String?
  private var title: String?
  private var artist: String?
  private var album: String?
  private var source: String?
  private var why: String?
  private var rule: String?
  private var seconds: Double?
  /// Milliseconds since 1970.
  private var at: Int64
  private var join: String?
  private var made: Bool?
  private var relaxed: [String]?

  init(_ item: ProgrammeItem) {
    (self.item, kind, track) = (item.item, item.kind.rawValue, item.track?.description)
    (title, artist, album) = (item.title, item.artist, item.album)
    (source, why, rule) = (item.source?.text, item.why?.rawValue, item.rule)
    (seconds, at, join) = (item.seconds, item.at.milliseconds, item.join.rawValue)
    made = item.isMade ? true : nil
    relaxed = item.relaxed.isEmpty ? nil : item.relaxed.map(\.rawValue)
  }

  private static let textMax = 4096

  /// The item, as far as it can be understood; nil where its kind cannot.
  var value: ProgrammeItem? {
    guard let kind = TitleItem.Kind(rawValue: kind), (1...TitleItem.numberMax).contains(item) else {
      return nil
    }
    func held(_ text: String?) -> String? { text.map { String($0.prefix(Self.textMax)) } }
    var value = ProgrammeItem(item: item, kind: kind, at: WallTime(milliseconds: max(0, at)))
    value.track = track.flatMap { TrackKey($0) }
    (value.title, value.artist, value.album) = (held(title), held(artist), held(album))
    value.source = source.flatMap { try? Source($0) }
    value.why = why.flatMap(Planned.Why.init)
    value.rule = held(rule)
    value.seconds = seconds.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    value.join = join.flatMap(Join.init) ?? .cut
    value.isMade = made ?? false
    value.relaxed = (relaxed ?? []).prefix(Relaxed.allCases.count).compactMap(Relaxed.init)
    return value
  }
}
