import Wire

/// The state as it is written down. What is read comes from a disk: each number is held to its bounds, lists to their
/// lengths, and what is not understood is left out.
extension ProgrammeState: Codable {
  private enum Key: String, CodingKey {
    case version, seed, item, queue, cycles, sequences, turns, history, past, replays, marks
    case occurrences, decided, airing, repeated, repeatedChoice, insertion
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(Shuffle.version, forKey: .version)
    try fields.encode(seed, forKey: .seed)
    try fields.encode(item, forKey: .item)
    try fields.encode(queue.map(StoredQueued.init), forKey: .queue)
    try fields.encode(cycles.mapValues(StoredCycle.init), forKey: .cycles)
    try fields.encode(sequences.mapValues(StoredSequence.init), forKey: .sequences)
    try fields.encode(turns, forKey: .turns)
    try fields.encode(
      HexWords.text(
        history.entries.flatMap { [UInt64(bitPattern: $0.at), $0.artist, $0.title, $0.album] }),
      forKey: .history)
    try fields.encode(past.map(StoredPast.init), forKey: .past)
    try fields.encode(replays.map(StoredPast.init), forKey: .replays)
    try fields.encode(marks.sorted { $0.key < $1.key }.map { StoredMark($0, $1) }, forKey: .marks)
    try fields.encode(
      HexWords.text(occurrences.flatMap(\.words)), forKey: .occurrences)
    try fields.encodeIfPresent(decided, forKey: .decided)
    try fields.encodeIfPresent(airing, forKey: .airing)
    try fields.encodeIfPresent(repeated.map(StoredPast.init), forKey: .repeated)
    try fields.encodeIfPresent(repeatedChoice, forKey: .repeatedChoice)
    try fields.encodeIfPresent(insertion.map(StoredInsertion.init), forKey: .insertion)
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    func read<Value: Decodable>(_ key: Key, _ type: Value.Type) -> Value? {
      try? fields.decodeIfPresent(type, forKey: key)
    }
    self.init(seed: try fields.decode(Int64.self, forKey: .seed))
    item = max(0, min(Self.itemMax, read(.item, Int64.self) ?? 0))
    queue = (read(.queue, [StoredQueued].self) ?? []).prefix(Self.queueMax).compactMap(\.value)
    for (key, cycle) in (read(.cycles, [String: StoredCycle].self) ?? [:]).prefix(Self.placesMax) {
      cycles[key] = Cycle(number: cycle.number, played: HexWords.words(cycle.played))
    }
    for (key, place) in (read(.sequences, [String: StoredSequence].self) ?? [:]).prefix(
      Self.placesMax)
    {
      sequences[key] = SequencePlace(
        cycle: place.cycle, next: place.next, recent: HexWords.words(place.recent),
        skips: HexWords.words(place.skips))
    }
    for (key, turn) in (read(.turns, [String: Int64].self) ?? [:]).prefix(Self.placesMax) {
      turns[key] = max(0, min(Self.itemMax, turn))
    }
    let words = HexWords.words((read(.history, String.self) ?? ""))
    history = History(
      stride(from: 0, to: words.count - words.count % 4, by: 4).map { index in
        History.Entry(
          at: Self.moment(Int64(bitPattern: words[index])), artist: words[index + 1],
          title: words[index + 2], album: words[index + 3])
      })
    past = (read(.past, [StoredPast].self) ?? []).suffix(Self.pastMax).compactMap(\.value)
    replays = (read(.replays, [StoredPast].self) ?? []).prefix(Self.pastMax).compactMap(\.value)
    for mark in (read(.marks, [StoredMark].self) ?? []).prefix(Self.marksMax) {
      marks[mark.rule] = mark.value
    }
    let pairs = HexWords.words(read(.occurrences, String.self) ?? "")
    for index in stride(from: 0, to: pairs.count - pairs.count % 2, by: 2).suffix(
      Self.occurrencesMax)
    {
      if let known = Occurrence(words: pairs[index...].prefix(2)) { occurrences.append(known) }
    }
    decided = read(.decided, Int64.self).map(Self.moment)
    airing = read(.airing, Int64.self).map(Self.moment)
    repeated = read(.repeated, StoredPast.self)?.value
    repeatedChoice = read(.repeatedChoice, String.self)
    insertion = read(.insertion, StoredInsertion.self)?.value
  }

  /// Holds milliseconds to the years 1970 to 2200.
  static func moment(_ milliseconds: Int64) -> Int64 {
    max(0, min(Bounds.unixSeconds.upperBound * 1000, milliseconds))
  }
}

private struct StoredPast: Codable {
  var source: String?
  var key: String

  init(_ past: ProgrammeState.Past) {
    (source, key) = (past.source?.text, past.key.description)
  }

  var value: ProgrammeState.Past? {
    TrackKey(key).map { ProgrammeState.Past(source: source.flatMap { try? Source($0) }, key: $0) }
  }
}

private struct StoredQueued: Codable {
  var item: Int64
  var source: String?
  var key: String?
  var due: Int64?
  var done: Int?

  init(_ queued: ProgrammeState.Queued) {
    (item, source) = (queued.item, queued.source?.text)
    (key, due) = (queued.key?.description, queued.due)
    done = queued.done == 0 ? nil : queued.done
  }

  var value: ProgrammeState.Queued? {
    let source = source.flatMap { try? Source($0) }
    let key = key.flatMap { TrackKey($0) }
    guard source != nil || key != nil else { return nil }
    var queued = ProgrammeState.Queued(
      source: source, key: key, due: due.map(ProgrammeState.moment))
    queued.item = max(1, min(ProgrammeState.itemMax, item))
    queued.done = max(0, min(Catalogue.tracksMax, done ?? 0))
    return queued
  }
}

private struct StoredCycle: Codable {
  var number: Int64
  var played: String

  init(_ cycle: Cycle) {
    (number, played) = (cycle.number, HexWords.text(cycle.fingerprints))
  }
}

private struct StoredSequence: Codable {
  var cycle: Int64
  var next: Int
  var recent: String
  var skips: String

  init(_ place: SequencePlace) {
    (cycle, next) = (place.cycle, place.next)
    (recent, skips) = (HexWords.text(place.recent), HexWords.text(place.skips))
  }
}

private struct StoredMark: Codable {
  var name: String
  var since: Int64
  var last: Int64
  var tracks: Int

  init(_ rule: UInt64, _ mark: ProgrammeState.RuleMark) {
    name = HexWords.text([rule])
    (since, last, tracks) = (mark.since, mark.last, mark.tracks)
  }

  var rule: UInt64 { HexWords.words(name).first ?? 0 }

  var value: ProgrammeState.RuleMark {
    ProgrammeState.RuleMark(
      since: ProgrammeState.moment(since), last: ProgrammeState.moment(last),
      tracks: max(0, min(InsertRule.tracks.upperBound, tracks)))
  }
}

private struct StoredInsertion: Codable {
  var source: String
  var key: String
  var occurrence: String?
  var mark: StoredMark?

  init(_ insertion: ProgrammeState.Insertion) {
    (source, key) = (insertion.source.text, insertion.key.description)
    occurrence = insertion.occurrence.map { HexWords.text($0.words) }
    if let rule = insertion.rule, let mark = insertion.mark { self.mark = StoredMark(rule, mark) }
  }

  var value: ProgrammeState.Insertion? {
    guard let source = try? Source(source), let key = TrackKey(key) else { return nil }
    let occurrence = occurrence.flatMap {
      ProgrammeState.Occurrence(words: HexWords.words($0)[...])
    }
    return ProgrammeState.Insertion(
      source: source, key: key, occurrence: occurrence, rule: mark?.rule, mark: mark?.value)
  }
}

extension ProgrammeState.Occurrence {
  /// The rule, then day and minute.
  fileprivate var words: [UInt64] {
    [rule, UInt64(clamping: day) << 16 | UInt64(clamping: minute)]
  }

  fileprivate init?(words: ArraySlice<UInt64>) {
    guard words.count == 2, let rule = words.first, let time = words.last else { return nil }
    let (minute, day) = (Int(time & 0xFFFF), Int(clamping: time >> 16))
    guard minute < 1440, Int64(day) <= Bounds.unixSeconds.upperBound / 86_400 else { return nil }
    self.init(rule: rule, day: day, minute: minute)
  }
}

/// Words of 64 bits as text of 16 hex digits each: JSON's numbers are exact to 53 bits only.
enum HexWords {
  static func text(_ words: [UInt64]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(words.count * 16)
    for word in words {
      for shift in stride(from: 60, through: 0, by: -4) {
        bytes.append(digits[Int(truncatingIfNeeded: word >> UInt64(shift)) & 15])
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the words of a text up to the first that is none, `Catalogue.tracksMax` at most.
  static func words(_ text: String) -> [UInt64] {
    var words: [UInt64] = []
    var (word, count): (UInt64, Int) = (0, 0)
    for byte in text.utf8 {
      let value: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = byte - UInt8(ascii: "a") + 10
      default: return words
      }
      word = word << 4 | UInt64(value)
      count += 1
      guard count == 16 else { continue }
      words.append(word)
      (word, count) = (0, 0)
      if words.count == Catalogue.tracksMax { return words }
    }
    return words
  }
}
