import Timeshift
import Wire

/// What `POST /api/v1/recordings` takes: `station`; `from` and `until` as in a clip – of a time of day, the next behind the beginning –, or `seconds` for how long;
/// `split` with `overlap`, a `name` for its files, `append`, a `maxSize`, and for how long to `keep` it.
enum RecordingBody {
  static func options(
    _ json: JSON, now: WallTime, in zone: ZoneOffsets
  ) throws(APIError) -> RecordingEntry.Options {
    let problems = SettingReader.Problems(file: "")
    let reader = SettingReader(
      SettingNode(json: json.withoutNulls), path: "",
      known: ["station", "from", "until", "seconds", "split", "overlap", "name", "append"]
        + ["max-size", "keep"],
      problems: problems)
    var station: String?
    reader.read("station", into: &station, .text())
    var options = RecordingEntry.Options(station: station ?? "", name: "")
    var (from, until): (WallTime?, WallTime?)
    reader.read("from", into: &from, .time(now: now, in: zone))
    reader.read("until", into: &until, .time(now: now, in: zone, behind: from ?? now))
    (options.from, options.until) = (from?.stored, until?.stored)
    var seconds: Double?
    reader.read("seconds", into: &seconds, .duration(1...DurationText.secondsMax))
    reader.read("split", into: &options.splits, .flag)
    reader.read("overlap", into: &options.overlap, .duration(ConfigurationLimits.overlap))
    options.name = RecordingName.standard(splits: options.splits)
    reader.read("name", into: &options.name, .recordingName())
    reader.read("append", into: &options.appends, .flag)
    reader.read("max-size", into: &options.bytesMax, .recordingSize)
    reader.read("keep", into: &options.keep, .duration(ConfigurationLimits.keep))
    if let problem = problems.list.first {
      throw APIError.badField(SettingKey.json(problem.key), problem.message)
    }
    if station == nil { throw APIError.badField("station", "is missing; name the station") }
    try options.limit(seconds, now: now)
    return options
  }
}

extension RecordingEntry.Options {
  fileprivate mutating func limit(_ seconds: Double?, now: WallTime) throws(APIError) {
    let begin = from.map { WallTime(stored: $0) } ?? now
    if let seconds {
      if until != nil { throw APIError.badField("until", "write this or seconds, not both") }
      (until, isSpan) = (begin.adding(seconds: seconds).stored, true)
    }
    if overlap > 0, !splits {
      throw APIError.badField("overlap", "is for files split by title; write split: true too")
    }
    if begin > now { throw APIError.badField("from", "is not over yet") }
    guard let end = until.map({ WallTime(stored: $0) }) else { return }
    if end <= begin { throw APIError.badField("until", "has to be later than its beginning") }
    if end.seconds(since: begin) > DurationText.secondsMax {
      throw APIError.badField("until", "is more than ten years later than its beginning")
    }
  }
}

extension ValueRule where Value == WallTime {
  /// A moment, how long before now it was, or a time of day in `zone`: the last, or the first behind `begin`.
  static func time(
    now: WallTime, in zone: ZoneOffsets, behind begin: WallTime? = nil
  ) -> ValueRule {
    ValueRule(wanted: "a time such as 2026-11-20T18:00:00Z, 18:00, or -10m") {
      text throws(InvalidValue) in
      do throws(TimestampError) {
        guard let begin, ClockText.parse(text) != nil else {
          return try WallTime(parsing: text, now: now, in: zone)
        }
        // Days have 23 to 25 hours where clocks are changed: back from the day after the next.
        var first = try WallTime(parsing: text, now: begin.adding(seconds: 2 * 90_000), in: zone)
        while true {
          let before = try WallTime(parsing: text, now: first.adding(seconds: -1), in: zone)
          if before <= begin { return first }
          first = before
        }
      } catch {
        throw InvalidValue(error.description)
      }
    }
  }
}
