import Longwave
import Timeshift
import Wire

/// The body of `POST /api/v1/recordings`.
///
/// `station` names the station. `from` and `until` are as in a clip; a time of day in `until` is the next one after the
/// beginning. `seconds` may give the length instead of `until`. Further fields are `split` with `overlap`, a `name` for
/// the files, `append`, a `maxSize`, and how long to `keep` the recording.
enum RecordingBody {
  static func options(
    _ json: JSON, now: WallTime, in zone: ZoneOffsets
  ) throws(APIError) -> RecordingEntry.Options {
    let problems = SettingReader.Problems(file: "", sections: ConfigurationKeys.sections)
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
    if let seconds {
      if until != nil { throw APIError.badField("until", "write this or seconds, not both") }
      let begin = from.map { WallTime(stored: $0) } ?? now
      (until, isSpan) = (begin.adding(seconds: seconds).stored, true)
    }
    do throws(RelayError) { try requireOrder(now: now) } catch { throw APIError(error) }
  }
}

extension ValueRule where Value == WallTime {
  /// Makes a rule for a moment, a duration before now, or a time of day in `zone`: the last one before now, or the
  /// first one after `begin`.
  static func time(
    now: WallTime, in zone: ZoneOffsets, behind begin: WallTime? = nil
  ) -> ValueRule {
    ValueRule(wanted: "a time such as 2026-11-20T18:00:00Z, 18:00, or -10m") {
      text throws(InvalidValue) in
      do throws(TimestampError) {
        guard let begin, ClockText.parse(text) != nil else {
          return try WallTime(parsing: text, now: now, in: zone)
        }
        // A day has 23 to 25 hours when clocks are changed, so the search goes back from two such days after `begin`.
        var first = try WallTime(parsing: text, now: begin.adding(seconds: 2 * 90_000), in: zone)
        while true {
          let before = try WallTime(parsing: text, now: first.adding(seconds: -1), in: zone)
          if before <= begin { return first }
          first = before
        }
      } catch {
        throw InvalidValue("\"\(text.prefix(64))\" \(error)")
      }
    }
  }
}
