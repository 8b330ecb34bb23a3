import Audio
import Programmes
import Wire

extension Programme {
  /// Reads `programme:` of a station, keys or a source alone; nil where nothing says what to play, which is noted.
  static func read(_ station: SettingReader) -> Programme? {
    guard let field = station.field("programme") else { return nil }
    let item = SettingItem(
      node: field.node, path: station.full("programme"), line: field.line,
      problems: station.problems)
    if case .text = field.node.content {
      return item.value(.source).map { Programme(PlayRules(.play($0))) }
    }
    let known = station.problems.count
    guard let reader = item.reader(rows.names()) else { return nil }
    var programme = Programme(PlayRules())
    rows.read(reader, into: &programme)
    if !reader.isGiven("play"), !reader.isGiven("wheel"), !reader.hasSlip(of: ["play", "wheel"]) {
      reader.report(ProgrammeProblem.nothingToPlay.description, key: "play")
    }
    guard station.problems.count == known else { return nil }
    do throws(ProgrammeProblem) {
      try programme.validate()
    } catch {
      station.report("\(error)", key: "programme")
    }
    return programme
  }

  mutating func readParts(_ reader: SettingReader) {
    parts = (reader.items("parts", max: Self.partsMax) ?? []).compactMap { item in
      guard let reader = item.reader(Part.rows.names()) else { return nil }
      var part = Part(WeeklyTimes(), PlayRules())
      // What `separate:` leaves out follows from the order, which may be that outside of the part.
      part.rules.order = rules.order
      Part.rows.read(reader, into: &part)
      if reader.field("order") == nil { part.rules.order = nil }
      if !PlayRules.rows.names().contains(where: reader.isGiven) {
        item.report("changes nothing; write what it plays, or how")
      }
      return part
    }
  }
}

extension PlayRules {
  mutating func readPlay(_ reader: SettingReader) {
    let entries = SourceEntry.read("play", SourceEntry.weighted, max: Choice.sourcesMax, reader)
    guard let entries else { return }
    choice = .play(entries.map { Choice.Weighted($0.source, weight: $0.times) })
  }

  mutating func readWheel(_ reader: SettingReader) {
    if reader.isGiven("wheel"), reader.isGiven("play") {
      return reader.report("has no place beside play:; write one of them", key: "wheel")
    }
    let entries = SourceEntry.read("wheel", SourceEntry.counted, max: Choice.slotsMax, reader)
    guard let entries else { return }
    choice = .wheel(entries.map { Choice.Slot($0.source, count: $0.times) })
  }

  mutating func readSeparate(_ rules: SettingReader) {
    guard let field = rules.field("separate"), rules.isGiven("separate") else { return }
    let reader = SettingReader(
      field.node, path: rules.full("separate"), known: Separate.rows.names(),
      problems: rules.problems)
    var separate = order == .shuffle ? Separate.ofShuffle : .zero
    Separate.rows.read(reader, into: &separate)
    self.separate = separate
  }

  mutating func readInserts(_ reader: SettingReader) {
    guard let items = reader.items("insert", max: Self.insertsMax) else { return }
    inserts = items.compactMap(InsertRule.read)
  }
}

extension SourceEntry {
  /// Reads a source, or several in a list; nil where nothing is given.
  static func read(
    _ key: String, _ rows: [KeyRow<Self>], max: Int, _ reader: SettingReader
  ) -> [Self]? {
    guard let items = reader.items(key, max: max) else { return nil }
    if items.isEmpty { reader.report("is empty; write at least one source", key: key) }
    return items.compactMap { item in
      if case .text = item.node.content { return item.value(.source).map { Self(source: $0) } }
      guard let keys = item.reader(rows.names()) else { return nil }
      var entry = Self()
      rows.read(keys, into: &entry)
      return entry
    }
  }
}

extension InsertRule {
  fileprivate static func read(_ item: SettingItem) -> InsertRule? {
    guard let reader = item.reader(Keys.rows.names()) else { return nil }
    var keys = Keys()
    Keys.rows.read(reader, into: &keys)
    keys.hasTimes = ["days", "from", "to"].contains(where: reader.isGiven)
    if reader.isGiven("every") == reader.isGiven("at"), !reader.hasSlip(of: ["every", "at"]) {
      item.report("needs every: or at:, one of them")
    }
    return InsertRule(
      keys.source, keys.timing, times: keys.hasTimes ? keys.times : nil, within: keys.within,
      refresh: keys.refresh, showsTitle: keys.title.map { $0 == .show })
  }
}

extension InsertRule.Keys {
  fileprivate var timing: InsertRule.Timing {
    switch every {
    case .tracks(let count): .everyTracks(count)
    case .seconds(let seconds): .every(seconds: seconds)
    case nil: .at(marks, onset)
    }
  }

  func checkMarks(_ reader: SettingReader) {
    guard case .list(let items)? = reader.node("at")?.content else { return }
    if items.isEmpty { reader.report("has no time; write :MM or HH:MM", key: "at") }
    if items.count > InsertRule.marksMax {
      reader.report("has \(items.count) entries; write at most \(InsertRule.marksMax)", key: "at")
    }
  }
}

extension Programme.Live {
  static func read(_ programme: SettingReader) -> Programme.Live? {
    guard let field = programme.field("live") else { return nil }
    if case .nothing = field.node.content { return nil }
    let item = SettingItem(
      node: field.node, path: programme.full("live"), line: field.line,
      problems: programme.problems)
    if case .text = field.node.content {
      return item.value(.stationID).map { Programme.Live($0) }
    }
    guard let reader = item.reader(rows.names()) else { return nil }
    var live = Programme.Live("")
    rows.read(reader, into: &live)
    return live
  }
}

extension Programme.Format {
  func checkSampleRate(_ reader: SettingReader) {
    guard codec == .opus, sampleRate != 48_000 else { return }
    reader.report("is \(sampleRate); Opus has 48000", key: "samplerate")
  }

  func checkBitrate(_ reader: SettingReader) {
    guard reader.field("bitrate") != nil else { return }
    guard codec == .mp3 else {
      return reader.report(
        "is for codec: mp3; a programme of \(codec.rawValue) plays what is already so",
        key: "bitrate")
    }
    let known = LameEncoder.bitrates(at: sampleRate) ?? []
    if known.contains(bitrate) { return }
    reader.report(
      "\(bitrate) is none of " + known.map(String.init).joined(separator: ", "), key: "bitrate")
  }
}

/// One of the entries that a key has.
struct SettingItem {
  let node: SettingNode
  let path: String
  let line: Int
  let problems: SettingReader.Problems

  func report(_ message: String) { problems.add(message, key: path, line: line) }

  /// Returns the value that the entry is; nil where it is none, which is noted.
  func value<Value: Sendable>(_ rule: ValueRule<Value>) -> Value? {
    guard case .text(let text) = node.content else { return nil }
    do throws(InvalidValue) {
      return try rule.parse(text)
    } catch {
      problems.add(error, of: text, key: path, line: line)
      return nil
    }
  }

  /// Returns a reader of the entry's keys; nil where it has none, which is noted.
  func reader(_ names: [String]) -> SettingReader? {
    let reader = SettingReader(node, path: path, known: names, problems: problems)
    switch node.content {
    case .fields: return reader
    case .nothing: report("is empty; write \(names.first ?? "key"):")
    case .text, .list: break
    }
    return nil
  }
}

extension SettingReader {
  /// Returns the entries of a list, or the one that stands alone; nil where nothing is given, or too much.
  fileprivate func items(_ key: String, max: Int) -> [SettingItem]? {
    guard let field = field(key) else { return nil }
    switch field.node.content {
    case .nothing: return nil
    case .text, .fields:
      return [
        SettingItem(node: field.node, path: full(key), line: field.line, problems: problems)
      ]
    case .list(let items) where items.count > max:
      report("has \(items.count) entries; write at most \(max)", key: key)
      return nil
    case .list(let items):
      return items.enumerated().map { index, item in
        SettingItem(
          node: item, path: "\(full(key))[\(index)]", line: item.line, problems: problems)
      }
    }
  }

  /// Whether the key is there, with something behind it.
  fileprivate func isGiven(_ key: String) -> Bool {
    if case .nothing? = node(key)?.content { return false }
    return node(key) != nil
  }
}
