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

    /// The order in which they are told: of those that begin at once, the last one counts, the shortest.
    static func isEarlier(_ one: Airing, _ other: Airing) -> Bool {
      (one.start, other.end, other.show) < (other.start, one.end, one.show)
    }
  }

  var station: String
  var plan: ShowPlan
  /// The zone's seconds east of UTC when the shows were read.
  var zoneSeconds: Int
  var airings: [Airing]
  /// The newest first.
  package var recordings: [RecordedShow]

  /// Most recordings that are told, the newest ones, and bytes that they may take about.
  private static let (recordingsMax, bytesMax) = (100, 512 << 10)

  /// Returns those of a list that are told.
  static func told(of all: [RecordedShow]) -> [RecordedShow] {
    var bytes = 0
    return Array(
      all.prefix(recordingsMax).prefix { recording in
        bytes += recording.bytesTold
        return bytes <= bytesMax
      })
  }

  /// Whether a page may bring them: else its script asks for them.
  package var isShort: Bool { recordings.reduce(0) { $0 + $1.bytesTold } <= 32 << 10 }
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
        }, times: show.times, isRecorded: plan.isHeardAgain && show.recording != nil)
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
