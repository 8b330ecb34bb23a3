import Server
import Timeshift
import Wire

/// A station's shows: when they are on air, and what was recorded of them.
public struct StationShows: Sendable {
  /// One time that a show is on air, in seconds since 1970.
  struct Airing: Hashable, Sendable {
    /// Place of the show in the station's list.
    var show: Int
    var start: Int64
    var end: Int64
  }

  var station: String
  var plan: ShowPlan
  /// The zone's seconds east of UTC when the shows were read.
  var zoneSeconds: Int
  var airings: [Airing]
  /// The newest first.
  package var recordings: [RecordedShow]

  /// Most recordings that are told, the newest ones.
  static let recordingsMax = 100
}

/// A recording of a show, as everybody may hear it again.
package struct RecordedShow: Sendable {
  package let entry: RecordingEntry

  /// Nil for a recording of anything else, and for one without audio.
  init?(_ entry: RecordingEntry) {
    guard entry.schedule?.show != nil, entry.isHidden != true, entry.firstAir != nil,
      !entry.files.isEmpty || entry.current != nil
    else { return nil }
    self.entry = entry
  }

  package var id: Int64 { entry.id }
  package var show: String { entry.schedule?.show ?? "" }
  /// When the show began on air.
  package var start: WallTime { entry.schedule?.airing.startTime ?? from }
  package var end: WallTime { entry.schedule?.airing.endTime ?? from }
  /// Air time of its first packet.
  package var from: WallTime { WallTime(stored: entry.firstAir ?? 0) }
  package var seconds: Double { entry.seconds }
  package var isGrowing: Bool { entry.state == .recording }
  package var titles: [RecordingEntry.Chapter] { entry.titles ?? [] }

  /// One of its files, with the number by which it is fetched.
  package struct File: Sendable {
    package var part: Int
    package var file: RecordingEntry.File
    /// Path and query, on this relay.
    package var path: String
  }

  package var files: [File] {
    (entry.files + (entry.current.map { [$0] } ?? [])).enumerated().map { index, file in
      let part = entry.firstPart + index
      return File(
        part: part, file: file,
        path: "/api/v1/stations/\(entry.options.station)/shows/\(entry.id)?part=\(part)")
    }
  }
}

extension StationShows {
  /// A show as it is told.
  package struct ShownShow: Sendable {
    package let name: String
    package let text: String?
    /// Path and query of its picture, on this relay; nil where it has none of its own.
    package let picture: String?
    let times: WeeklyTimes
    package let isRecorded: Bool
  }

  package var shows: [ShownShow] {
    plan.shows.map { show in
      ShownShow(
        name: show.name, text: show.text,
        picture: show.picture.map { _ in
          "/api/v1/stations/\(station)/artwork?show=" + URLText.percentEncoded(show.name)
        }, times: show.times, isRecorded: plan.isOwn && show.recording != nil)
    }
  }

  /// The airings that are not over, with the shows' names.
  package func coming(at now: WallTime) -> [StationSnapshot.Show] {
    airings.filter { $0.end > now.unixSeconds }.map {
      StationSnapshot.Show(
        name: plan.shows[$0.show].name, start: WallTime(unixSeconds: $0.start),
        end: WallTime(unixSeconds: $0.end))
    }
  }

  package var zone: ZoneOffsets { plan.zone }
}

extension StationShows: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape(
      "timeZone",
      [Shape("name", \.plan.zone.name), Shape("seconds", Schema.number) { $0.zoneSeconds.json }]),
    Shape("shows", \.shows), Shape("airings", \.airings), Shape("recordings", \.recordings),
  ]
}

extension StationShows.ShownShow: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("name", \.name), Shape("text", \.text), Shape("picture", \.picture),
    Shape("days", Schema.list(Schema.words(Weekday.allCases.map(\.rawValue)))) {
      $0.times.dayWords.json
    },
    Shape("from") { ClockText.format($0.times.from) },
    Shape("to") { ClockText.format($0.times.to) },
    Shape("recorded", \.isRecorded),
  ]
}

extension StationShows.Airing: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("show", \.show), Shape("start") { WallTime(unixSeconds: $0.start) },
    Shape("end") { WallTime(unixSeconds: $0.end) },
  ]
}

extension RecordedShow: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("id", \.id), Shape("show", \.show), Shape("start", \.start), Shape("end", \.end),
    Shape("from", \.from), Shape("seconds", \.seconds),
    Shape("missedSeconds", \.entry.missedSeconds), Shape("bytes", \.entry.bytes),
    Shape("isGrowing", \.isGrowing), Shape("files", \.files), Shape("titles", \.titles),
  ]
}

extension RecordedShow.File: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("part", \.part), Shape("name", \.file.name), Shape("bytes", \.file.bytes),
    Shape("seconds", \.file.seconds), Shape("path", \.path),
  ]
}

extension StationSnapshot.Show: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("name", \.name), Shape("start", \.start), Shape("end", \.end),
  ]
}
