import Timeshift
import Wire

/// One entry of a station's `shows:`: what people call the hours that come every week.
public struct Show: Hashable, Sendable {
  /// What people call it; told apart from the station's other shows by it.
  public var name = ""
  /// When it is on air.
  public var times = WeeklyTimes()
  /// The URL of its picture; nil for the station's.
  public var picture: String?
  /// What it is about.
  public var text: String?
  /// How its airings are recorded; nil when they are not. The times of the rule are without meaning.
  package var recording: RecordingRule?

  /// Most shows of a station.
  package static let countMax = 100
  /// Most characters of a name: it stands on strips and lock screens.
  package static let nameMax = 80

  package init() {}
}

extension Show {
  /// The rule by which its airings are recorded; nil when they are not.
  package var rule: RecordingRule? {
    guard var rule = recording else { return nil }
    (rule.times, rule.show) = (times, name)
    return rule
  }

  /// The show as request bodies, the store and, as YAML, files have it.
  var json: JSON { Self.rows.written(self) }

  static let rows: [KeyRow<Self>] =
    [
      KeyRow(
        "name", \.name, .name(max: nameMax, wanted: "what people call the show"),
        missing: "write what people call the show")
    ]
    + WeeklyTimes.rows(missing: "write a time of day, such as 18:00").map { $0.within(\.times) } + [
      KeyRow("picture", \.picture, .webURL),
      KeyRow("text", \.text, .text(max: 1024)),
      KeyRow(
        name: "record",
        schema: Schema.either(Schema.flag, RecordingRule.showRows.schema(), ["type": "null"]),
        read: { $1.readRecording($0) }, json: \.recordJSON, shown: ValueRule.flag.shown,
        keys: RecordingRule.showRows.trees()),
    ]

  private var recordJSON: JSON {
    guard let recording else { return .null }
    let keys = RecordingRule.showRows.written(recording)
    return keys.members.isEmpty ? .bool(true) : keys
  }

  private mutating func readRecording(_ reader: SettingReader) {
    guard let node = reader.node("record") else { return }
    switch node.content {
    case .nothing: return
    case .fields:
      let (times, append) = (WeeklyTimes.rows().names(), "append")
      let keys = SettingReader(
        node, path: reader.full("record"), known: RecordingRule.showRows.names() + times + [append],
        problems: reader.problems)
      for key in times where keys.field(key) != nil {
        keys.report("is a key of the show; write it beside record:", key: key)
      }
      if keys.field(append) != nil {
        keys.report("is not for shows: each airing has files of its own", key: append)
      }
      var rule = RecordingRule(from: 0, to: 0)
      RecordingRule.showRows.read(keys, into: &rule)
      recording = rule
    case .text, .list:
      var isRecorded = false
      reader.read("record", into: &isRecorded, .flag)
      recording = isRecorded ? RecordingRule(from: 0, to: 0) : nil
    }
  }

  /// Reads `shows:` of a station.
  static func read(_ station: SettingReader) -> [Show] {
    var shows: [Show] = []
    for reader in station.entries("shows", max: countMax, known: rows.names()) {
      var show = Show()
      rows.read(reader, into: &show)
      if shows.contains(where: { $0.name == show.name && !show.name.isEmpty }) {
        reader.report("is the name of an earlier show, too; write another name", key: "name")
      }
      shows.append(show)
    }
    return shows
  }

  static let schema = Schema.either(Schema.list(rows.schema()), ["type": "null"])
}

extension StationDefinition {
  /// Everything that schedules record of the station: its own entries, and its shows.
  package var recordingRules: [RecordingRule] {
    allowsRecording ? record + shows.compactMap(\.rule) : []
  }
}
