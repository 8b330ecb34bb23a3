import Longwave
import Timeshift
import Wire

/// A moment of a station's past that an address names, as programs show it beside a link.
struct SharedMoment: Sendable {
  let begin: WallTime
  /// Nil for a moment from which the page plays on; else the clip's.
  private let end: WallTime?
  /// What was on air then; nil where that is not known.
  let playing: NowPlaying?
  /// The part of the address that names it.
  let query: String
  private let timeline: StationTimeline

  /// - Returns: Nil where the address names no moment, or none of the window.
  init?(_ visit: ListenPage.Visit, in timeline: StationTimeline) {
    if let clip = visit.clip {
      let ends = clip.split(separator: "/").map { try? WallTime(parsing: String($0)) }
      guard ends.count == 2, let from = ends[0], let to = ends[1], from < to else { return nil }
      (begin, end, query) = (from, to, "clip=" + URLText.percentEncoded(clip))
    } else if let place = visit.place, place.name == "at",
      let moment = try? WallTime(parsing: place.value)
    {
      (begin, end, query) = (moment, nil, "at=" + URLText.percentEncoded(place.value))
    } else {
      return nil
    }
    guard let media = timeline.media(onAir: begin) else { return nil }
    playing = timeline.titles.last { $0.media <= media }?.playing
    self.timeline = timeline
  }

  /// Seconds behind live.
  var behind: Double { timeline.live.air.seconds(since: begin) }

  /// Returns the title beside a link, such as "So What – Miles Davis, 18:03 on Jazz".
  func title(on station: String) -> String {
    let song = [playing?.title, playing?.artist].compactMap(\.self).filter { !$0.isEmpty }
    let place = "\(timeline.clock(begin)) on \(station)"
    return song.isEmpty ? place : "\(song.joined(separator: " – ")), \(place)"
  }

  /// Returns the address of the picture of what was on air then, else of the station's own; nil where there is none.
  func picture(of station: StationSnapshot) -> String? {
    guard let position = playing?.position, (playing?.artwork ?? station.artwork) != nil else {
      return nil
    }
    return "/api/v1/stations/\(station.id)/artwork?position=\(position)"
  }

  var summary: String {
    let time = "\(timeline.zone.date(begin)), \(timeline.clock(begin))"
    guard let end else { return "Plays from then on: \(time)." }
    return "A clip of \(GapWords.length(end.seconds(since: begin))): \(time)."
  }
}

extension StationTimeline {
  /// Returns the media time of what was on air at a moment of the window; in a gap, of what follows it.
  fileprivate func media(onAir air: WallTime) -> Double? {
    guard oldest.air <= air, air <= live.air, !anchors.isEmpty else { return nil }
    let place = anchors.lastIndex { $0.air <= air } ?? 0
    let media = anchors[place].media + air.seconds(since: anchors[place].air)
    return place + 1 < anchors.count ? min(media, anchors[place + 1].media) : media
  }
}
