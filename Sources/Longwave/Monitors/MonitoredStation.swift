import Ingest
import Server
import Timeshift
import Wire

/// A station as the pages of Icecast and SHOUTcast show it.
struct MonitoredStation {
  let snapshot: StationSnapshot
  let audience: Audience.Figures

  var mount: String { "/" + snapshot.id }
  var bitrate: Int { snapshot.bitrate ?? 0 }
  var sampleRate: Int { snapshot.format?.sampleRate ?? 0 }
  var channels: Int { snapshot.format?.channels ?? 0 }
  var mediaType: String { snapshot.format?.mediaType ?? "application/octet-stream" }

  /// Whether there is a source, in Icecast's words: audio comes, or would as soon as somebody listened.
  var isConnected: Bool {
    switch snapshot.state {
    case .buffering, .playing, .paused: true
    case .stopped, .connecting, .failed: false
    }
  }

  var title: String { snapshot.nowPlaying.line }

  /// Seconds since the upstream was connected.
  func uptime(at now: WallTime) -> Int {
    guard isConnected, let since = snapshot.upstream.connectedSince else { return 0 }
    return max(0, Int(bounded: now.seconds(since: since)))
  }
}

/// All stations, as those pages show them.
struct MonitoredStations {
  let list: [MonitoredStation]
  /// Of all of them: who hears two is one.
  let audience: Audience.Figures

  init(_ stations: [StationSnapshot], _ audience: Audience) {
    list = stations.map {
      MonitoredStation(snapshot: $0, audience: audience.stations[$0.id]?.figures ?? .init())
    }
    self.audience = audience.all.figures
  }
}
