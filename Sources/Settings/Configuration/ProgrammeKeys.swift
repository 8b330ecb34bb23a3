import Programmes
import Wire

extension Programme {
  /// Every key of `programme:`.
  static let rows: [KeyRow<Programme>] =
    PlayRules.rows.map { $0.within(\.rules) } + [
      KeyRow("seed", \.seed, .seed),
      KeyRow("format", \.format, Format.rows, from: Format()),
      KeyRow(
        "resume", \.resume, .duration(resumes),
        writing: { $0 == resumeStandard ? .null : $0.json }),
      KeyRow(
        "title-format", \.titleFormat, .titleFormat,
        writing: { $0 == titleFormatStandard ? .null : $0.json }),
      KeyRow(
        "publish-next", \.publishNext, .integer(publishedItems),
        writing: { $0 == 1 ? .null : $0.json }),
      KeyRow(
        name: "parts", schema: Schema.known(Schema.list(Part.rows.schema())),
        read: { $1.readParts($0) }, json: { .list($0.parts.map { Part.rows.written($0) }) },
        keys: Part.rows.trees()),
      KeyRow(
        name: "live", schema: Schema.either(Schema.text, Live.rows.schema(), ["type": "null"]),
        read: { $1.live = Live.read($0) }, json: { $0.live?.json ?? .null },
        shown: ValueRule.stationID.shown, keys: Live.rows.trees()),
    ]

  /// The shape in bodies: keys, or a source alone.
  static let schema = Schema.either(Schema.text, rows.schema(), ["type": "null"])

  /// The programme as request bodies, the store and, as YAML, files have it: what differs from the defaults.
  var json: JSON { Self.rows.written(self) }
}

extension PlayRules {
  /// Keys of a programme that each of its parts may have, too.
  static let rows: [KeyRow<PlayRules>] = [
    KeyRow(
      name: "play", schema: SourceEntry.schema(SourceEntry.weighted),
      read: { $1.readPlay($0) },
      json: {
        guard case .play(let sources)? = $0.choice else { return .null }
        let entries = sources.map { SourceEntry(source: $0.source, times: $0.weight) }
        return entries.count == 1 && entries[0].times == 1
          ? entries[0].source.json
          : .array(entries.map { $0.json(SourceEntry.weighted) })
      }, shown: Source.shown, keys: SourceEntry.weighted.trees()),
    KeyRow(
      name: "wheel", schema: SourceEntry.schema(SourceEntry.counted),
      read: { $1.readWheel($0) },
      json: {
        guard case .wheel(let slots)? = $0.choice else { return .null }
        return .array(
          slots.map {
            SourceEntry(source: $0.source, times: $0.count).json(SourceEntry.counted)
          })
      }, shown: Source.shown, keys: SourceEntry.counted.trees()),
    KeyRow("order", \.order, .word),
    KeyRow("repeat", \.repeats, .word),
    KeyRow(
      name: "separate", schema: Schema.known(Separate.rows.schema()),
      read: { $1.readSeparate($0) },
      json: { $0.separate.map { Separate.rows.written($0) } ?? .null },
      keys: Separate.rows.trees()),
    KeyRow("join", \.join, .word),
    KeyRow("fade", \.fade, .duration(fades)),
    KeyRow("loudness", \.loudness, .decibels(loudnesses, "LUFS")),
    KeyRow(
      name: "insert",
      schema: Schema.either(
        InsertRule.Keys.rows.schema(), Schema.list(InsertRule.Keys.rows.schema()),
        ["type": "null"]), read: { $1.readInserts($0) },
      json: {
        // In a part, none in place of some is a rule.
        $0.inserts.map { .array($0.map { InsertRule.Keys.rows.written($0.keys) }) } ?? .null
      }, keys: InsertRule.Keys.rows.trees()),
  ]
}

/// An entry of `play:` or `wheel:`: a source, and how often it comes.
struct SourceEntry: Hashable, Sendable {
  var source = Source.collection("")
  var times = 1

  static let weighted = rows("weight", Choice.weights)
  static let counted = rows("count", Choice.counts)

  private static func rows(_ key: String, _ range: ClosedRange<Int>) -> [KeyRow<Self>] {
    [
      KeyRow("play", \.source, .source, missing: "write \(ValueRule<Source>.source.wanted)"),
      KeyRow(key, \.times, .integer(range), writing: { $0 == 1 ? .null : $0.json }),
    ]
  }

  func json(_ rows: [KeyRow<Self>]) -> JSON { times == 1 ? source.json : rows.written(self) }

  static func schema(_ rows: [KeyRow<Self>]) -> JSON {
    let entry = rows.schema()
    return Schema.either(
      Schema.text, entry, Schema.list(Schema.either(Schema.text, entry)), ["type": "null"])
  }
}

extension Separate {
  static let rows: [KeyRow<Separate>] = [
    KeyRow("artist", \.artist, .seconds(seconds)), KeyRow("title", \.title, .seconds(seconds)),
    KeyRow("album", \.album, .seconds(seconds)),
  ]
}

extension Programme.Part {
  static let rows: [KeyRow<Self>] =
    WeeklyTimes.rows(missing: "write a time of day, such as 18:00").map { $0.within(\.times) }
    + PlayRules.rows.map { $0.within(\.rules) } + [
      KeyRow("start", \.onset, .word, writing: { $0 == .soft ? .null : $0.json }),
      KeyRow(
        "late", \.late, .seconds(lates), writing: { $0 == lateStandard ? .null : $0.json }
      ).checked { reader, part in
        guard part.onset == .hard, reader.field("late") != nil else { return }
        reader.report("is for start: soft; start: hard waits for nothing", key: "late")
      },
    ]
}

extension Programme.Live {
  static let rows: [KeyRow<Self>] = [
    KeyRow("station", \.station, .stationID, missing: "write the id of a station"),
    KeyRow("start", \.onset, .word, writing: { $0 == .hard ? .null : $0.json }),
    KeyRow(
      "after-silence", \.afterSilence, .duration(silences),
      writing: { $0 == silenceStandard ? .null : $0.json }),
  ]

  private static let silenceStandard = Programme.Live("").afterSilence

  var json: JSON {
    self == Programme.Live(station) ? station.json : Self.rows.written(self)
  }
}

extension Programme.Format {
  static let rows: [KeyRow<Self>] = [
    KeyRow("codec", \.codec, .word),
    KeyRow(
      name: "samplerate", schema: Schema.known(ValueRule<Int>.mp3SampleRate.schema),
      read: {
        if $1.codec == .opus { $1.sampleRate = 48_000 }
        $0.read("samplerate", into: &$1.sampleRate, .mp3SampleRate)
      }, json: { $0.sampleRate.json }, shown: ValueRule<Int>.mp3SampleRate.shown,
      check: { $1.checkSampleRate($0) }),
    KeyRow("bitrate", \.bitrate, .mp3Bitrate).written { $0.codec == .mp3 }
      .checked { $1.checkBitrate($0) },
    KeyRow("mono", \.isMono, .flag),
  ]
}

extension InsertRule {
  /// An insert's keys, of which several are one value of the rule.
  struct Keys: Hashable, Sendable {
    var source = Source.collection("")
    var every: Every?
    var marks: [MinuteMark] = []
    var onset = Onset.soft
    /// Whether there are hours; without, an insert is always on.
    var hasTimes = false
    var times = WeeklyTimes()
    var within = InsertRule.withinStandard
    var refresh: Int?
    var title: TitleWord?

    /// `every:`, which counts tracks or time.
    enum Every: Hashable, Sendable { case tracks(Int), seconds(Int) }

    enum TitleWord: String, Hashable, Sendable, CaseIterable, SettingValue { case show, hide }

    static let rows: [KeyRow<Self>] =
      [
        KeyRow("play", \.source, .source, missing: "write \(ValueRule<Source>.source.wanted)"),
        KeyRow("every", \.every, .every),
        KeyRow("at", list: \.marks, .minuteMark).checked { $1.checkMarks($0) },
      ]
      + WeeklyTimes.rows().map { $0.within(\.times).written(when: \.hasTimes) } + [
        KeyRow("on-time", \.onset, .word, writing: { $0 == .soft ? .null : $0.json })
          .checked { reader, keys in
            guard keys.onset == .hard, keys.every != nil else { return }
            reader.report("is for at:; every: waits for a border", key: "on-time")
          },
        KeyRow(
          "within", \.within, .seconds(withins),
          writing: { $0 == withinStandard ? .null : $0.json }),
        KeyRow("refresh", \.refresh, .seconds(refreshes)).checked { reader, keys in
          if case .url = keys.source { return }
          if keys.refresh != nil { reader.report("is for a URL", key: "refresh") }
        },
        KeyRow("title", \.title, .word),
      ]
  }

  var keys: Keys {
    var keys = Keys(
      source: source, hasTimes: times != nil, times: times ?? WeeklyTimes(), within: within,
      refresh: refresh, title: showsTitle.map { $0 ? .show : .hide })
    switch timing {
    case .everyTracks(let count): keys.every = .tracks(count)
    case .every(let seconds): keys.every = .seconds(seconds)
    case .at(let marks, let onset): (keys.marks, keys.onset) = (marks, onset)
    }
    return keys
  }
}
