import Timeshift
import Wire

/// What `POST /api/v1/recordings` takes: `station`; `from` and `until` as in a clip, or `seconds` for how long;
/// `split` with `overlap`, a `name` for its files, `append`, a `maxSize`, and for how long to `keep` it.
enum RecordingBody {
  static func options(
    _ json: JSON, now: WallTime
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
    reader.read("from", into: &options.from, .time(now: now))
    reader.read("until", into: &options.until, .time(now: now))
    var seconds: Double?
    reader.read("seconds", into: &seconds, .duration(1...DurationText.secondsMax))
    reader.read("split", into: &options.splits, .flag)
    reader.read("overlap", into: &options.overlap, .duration(ConfigurationLimits.overlap))
    options.name = RecordingName.standard(splits: options.splits)
    reader.read("name", into: &options.name, .text(wanted: "a pattern for file names"))
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

extension ValueRule where Value == Int64 {
  /// A moment, nanoseconds since 1970, or how long before now it was.
  fileprivate static func time(now: WallTime) -> ValueRule {
    ValueRule(wanted: "a time such as 2026-11-20T18:00:00Z, or -10m") {
      text throws(InvalidValue) in
      do throws(TimestampError) {
        return try WallTime(parsing: text, now: now).stored
      } catch {
        throw InvalidValue(error.description)
      }
    }
  }
}
