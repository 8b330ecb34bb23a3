import Wire

/// What is wrong with a programme's rules, or with one of their values.
public enum ProgrammeProblem: Error, Hashable, Sendable, CustomStringConvertible {
  case sourceIsEmpty
  case sourceIsLong
  case pathIsRelative(String)
  case minute(String)
  case nothingToPlay
  case tooMany(what: String, max: Int)
  /// A number that lies outside of what is allowed.
  case outside(what: String, range: String)
  /// A station among several sources, in a wheel or as an insert.
  case stationHasNoEnd(String)
  case insertWithoutMinutes
  case refreshWithoutURL(String)
  case partWithoutRules(Int)
  case codecIsPassedOn(String)

  public var description: String {
    switch self {
    case .sourceIsEmpty:
      "is empty; write a collection, folder:/PATH, list:/PATH, a URL or station:ID"
    case .sourceIsLong: "is longer than \(Source.bytesMax) bytes; write a shorter one"
    case .pathIsRelative(let text): "\"\(text)\" has no absolute path; write it from / on"
    case .minute(let text):
      Int(text.drop { $0 == ":" }, in: 0...9).map { "\"\(text)\" is no minute; write :0\($0)" }
        ?? "\"\(text)\" is no time; write :MM or HH:MM"
    case .nothingToPlay:
      "is missing; write what to play: a collection, folder:/PATH, list:/PATH, a URL or station:ID"
    case .tooMany(let what, let max): "has more than \(max) \(what); write fewer"
    case .outside(let what, let range): "\(what) is not within \(range)"
    case .stationHasNoEnd(let id):
      "station:\(id) has no end, so nothing would follow; play it alone, in a part"
    case .insertWithoutMinutes: "at: has no time; write :MM or HH:MM"
    case .refreshWithoutURL(let source): "refresh is for a URL, and \(source) is none"
    case .partWithoutRules(let part):
      "part \(part + 1) changes nothing; write what it plays, or how"
    case .codecIsPassedOn(let codec):
      "fade is for mp3: a programme of \(codec) plays what is already so, and joins nothing"
    }
  }
}

extension Programme {
  /// Two parts that are on at once; the first of them counts.
  public struct Overlap: Hashable, Sendable {
    public var first: Int
    public var second: Int
    /// In seconds since Monday 0:00, local time.
    public var hours: [Range<Int>]
  }

  /// The parts that are on at once, in weeks without changes of the clock. No error: the first one counts.
  public var overlaps: [Overlap] {
    parts.indices.flatMap { first in
      parts.indices.dropFirst(first + 1).compactMap { second in
        let hours = parts[first].times.overlaps(with: parts[second].times)
        return hours.isEmpty ? nil : Overlap(first: first, second: second, hours: hours)
      }
    }
  }

  /// Inserts that no hour has: their minutes lie outside of their hours. Parts are counted from 0; nil: outside of all.
  public var insertsWithoutHour: [(part: Int?, rule: InsertRule)] {
    let all: [(Int?, PlayRules)] = [(nil, rules)] + parts.enumerated().map { ($0, $1.rules) }
    return all.flatMap { part, rules in
      (rules.inserts ?? []).filter(\.hasNoHour).map { (part, $0) }
    }
  }

  /// Holds the values to their bounds and to each other.
  public func validate() throws(ProgrammeProblem) {
    guard rules.choice != nil else { throw .nothingToPlay }
    try rules.validate()
    guard parts.count <= Self.partsMax else { throw .tooMany(what: "parts", max: Self.partsMax) }
    for (index, part) in parts.enumerated() {
      guard !part.rules.isEmpty else { throw .partWithoutRules(index) }
      try part.rules.validate()
      try Self.hold(part.late, to: Part.lates, "late")
    }
    if let seed { try Self.hold(seed, to: Self.seeds, "seed") }
    try Self.hold(resume, to: Self.resumes, "resume")
    try Self.hold(publishNext, to: Self.publishedItems, "publish-next")
    if let live { try Self.hold(live.afterSilence, to: Live.silences, "after-silence") }
    let joins = ([rules] + parts.map(\.rules)).map(\.join)
    if let codec = format?.codec, codec != .mp3, joins.contains(.fade) || joins.contains(.gapless) {
      throw .codecIsPassedOn(codec.rawValue)
    }
  }

  fileprivate static func hold<Number: Comparable>(
    _ number: Number, to range: ClosedRange<Number>, _ what: String
  ) throws(ProgrammeProblem) {
    guard range.contains(number) else {
      throw .outside(what: what, range: "\(range.lowerBound) to \(range.upperBound)")
    }
  }
}

extension PlayRules {
  fileprivate func validate() throws(ProgrammeProblem) {
    try choice?.validate()
    if let separate {
      for seconds in [separate.artist, separate.title, separate.album] {
        try Programme.hold(seconds, to: Separate.seconds, "separate")
      }
    }
    if let fade { try Programme.hold(fade, to: Self.fades, "fade") }
    if let loudness { try Programme.hold(loudness, to: Self.loudnesses, "loudness") }
    let inserts = inserts ?? []
    guard inserts.count <= Self.insertsMax else {
      throw .tooMany(what: "inserts", max: Self.insertsMax)
    }
    for insert in inserts { try insert.validate() }
  }
}

extension Choice {
  fileprivate func validate() throws(ProgrammeProblem) {
    guard !sources.isEmpty else { throw .nothingToPlay }
    switch self {
    case .play(let sources):
      guard sources.count <= Self.sourcesMax else {
        throw .tooMany(what: "sources", max: Self.sourcesMax)
      }
      for source in sources { try Programme.hold(source.weight, to: Self.weights, "weight") }
      guard sources.count > 1 else { return }
    case .wheel(let slots):
      guard slots.count <= Self.slotsMax else { throw .tooMany(what: "slots", max: Self.slotsMax) }
      for slot in slots { try Programme.hold(slot.count, to: Self.counts, "count") }
    }
    if let station = sources.lazy.compactMap(\.station).first { throw .stationHasNoEnd(station) }
  }
}

extension InsertRule {
  fileprivate func validate() throws(ProgrammeProblem) {
    if let station = source.station { throw .stationHasNoEnd(station) }
    switch timing {
    case .everyTracks(let count): try Programme.hold(count, to: Self.tracks, "every")
    case .every(let seconds): try Programme.hold(seconds, to: Self.intervals, "every")
    case .at(let marks, _):
      guard !marks.isEmpty else { throw .insertWithoutMinutes }
      guard marks.count <= Self.marksMax else {
        throw .tooMany(what: "times", max: Self.marksMax)
      }
    }
    try Programme.hold(within, to: Self.withins, "within")
    guard let refresh else { return }
    try Programme.hold(refresh, to: Self.refreshes, "refresh")
    guard case .url = source else { throw .refreshWithoutURL(source.text) }
  }

  /// Whether no mark of `at` lies within the hours of `times`, on any day.
  fileprivate var hasNoHour: Bool {
    guard case .at(let marks, _) = timing, let times else { return false }
    return !marks.contains { mark in
      (mark.hour.map { [$0] } ?? Array(0..<24)).contains { hour in
        let minute = hour * 60 + mark.minute
        let moment = WeeklyTimes(from: minute * 60, to: (minute * 60 + 60) % 86_400)
        return times.overlaps(with: moment).contains { $0.lowerBound % 86_400 == minute * 60 }
      }
    }
  }
}
