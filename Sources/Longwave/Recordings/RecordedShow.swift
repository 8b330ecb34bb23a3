import Timeshift
import Wire

/// A recording of a show, as everybody may hear it again.
package struct RecordedShow: Sendable {
  package let entry: RecordingEntry
  /// Air time of its first packet.
  package let from: WallTime

  /// Nil for a recording of anything else, and for one without audio.
  init?(_ entry: RecordingEntry) {
    guard entry.schedule?.show != nil, entry.isHidden != true,
      let from = entry.firstAir.map({ WallTime(stored: $0) }),
      !entry.files.isEmpty || entry.current != nil
    else { return nil }
    (self.entry, self.from) = (entry, from)
  }

  package var id: Int64 { entry.id }
  package var show: String { entry.schedule?.show ?? "" }
  /// When the show began on air.
  package var start: WallTime { entry.schedule?.airing.startTime ?? from }
  package var end: WallTime { entry.schedule?.airing.endTime ?? from }
  package var seconds: Double { entry.seconds }
  package var isGrowing: Bool { entry.state == .recording }
  package var titles: [RecordingEntry.Chapter] { entry.titles ?? [] }

  /// About as many bytes as it takes in an answer.
  var bytesTold: Int {
    let files = min(entry.files.count, RecordingEntry.filesShown)
    return titles.reduce(400 + files * 300) {
      $0 + 60 + $1.title.utf8.count + ($1.artist?.utf8.count ?? 0)
    }
  }

  /// One of its files, with the number by which it is fetched.
  package struct File: Sendable {
    package var part: Int
    package var file: RecordingEntry.File
    /// Path and query, on this relay.
    package var path: String
  }

  /// The first of its files that are told.
  package var files: [File] {
    (entry.files + (entry.current.map { [$0] } ?? [])).prefix(RecordingEntry.filesShown)
      .enumerated()
      .map { index, file in
        let part = entry.firstPart + index
        return File(
          part: part, file: file,
          path: "/api/v1/stations/\(entry.options.station)/shows/\(entry.id)?part=\(part)")
      }
  }
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
