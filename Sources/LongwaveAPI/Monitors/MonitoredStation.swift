import Ingest
import Longwave
import Server
import Timeshift
import Wire

/// A station as the pages of Icecast and SHOUTcast show it.
struct MonitoredStation {
  let snapshot: StationSnapshot
  let audience: Audience.Figures

  /// The path of the fallback; empty for none.
  var fallback = ""

  /// The path that listeners know.
  var mount: String { snapshot.mountName }
  /// Every path that leads here.
  var paths: [String] { ["/" + snapshot.id] + snapshot.mount.paths }
  var bitrate: Int { snapshot.bitrate ?? 0 }
  var sampleRate: Int { snapshot.format?.sampleRate ?? 0 }
  var channels: Int { snapshot.format?.channels ?? 0 }
  var mediaType: String { snapshot.format?.announcedType ?? "application/octet-stream" }

  /// Whether there is a source, in Icecast's words: audio arrives, or would arrive as soon as there is a listener.
  var isConnected: Bool {
    switch snapshot.state {
    case .buffering, .playing, .paused: true
    case .stopped, .connecting, .failed: false
    }
  }

  var title: String { snapshot.nowPlaying.line }

  /// Artist and song as Icecast tells them: two fields of Ogg's comments, one line of any other title. Without a title
  /// there is no field.
  var song: [(name: String, text: String)] {
    let playing = snapshot.nowPlaying
    if snapshot.format?.codec.isOgg == true, playing.isApart {
      return [("artist", playing.artist), ("title", playing.title)].compactMap { name, text in
        text.map { (name, $0) }
      }
    }
    return title.isEmpty ? [] : [("title", title)]
  }

  /// Returns the seconds since the upstream was connected; 0 without a connection.
  func uptime(at now: WallTime) -> Int {
    guard isConnected, let since = snapshot.upstream.connectedSince else { return 0 }
    return max(0, Int(bounded: now.seconds(since: since)))
  }
}

/// All stations, as the pages of Icecast and SHOUTcast show them.
struct MonitoredStations {
  let all: [MonitoredStation]
  /// The stations that pages list and find by number, which anybody could try in turn.
  let list: [MonitoredStation]
  /// The audience of all stations together; an address that hears two stations counts once.
  let audience: Audience.Figures

  /// - Parameter withUnlisted: whether an administrator looks.
  init(_ stations: [StationSnapshot], _ audience: Audience, withUnlisted: Bool) {
    let names = Dictionary(stations.map { ($0.id, $0.mountName) }) { first, _ in first }
    let all = stations.map { station in
      MonitoredStation(
        snapshot: station, audience: audience.stations[station.id]?.figures ?? .init(),
        fallback: station.mount.fallback.flatMap { names[$0] } ?? "")
    }
    self.all = all
    list = withUnlisted ? all : all.filter(\.snapshot.isListed)
    self.audience = audience.all.figures
  }
}
