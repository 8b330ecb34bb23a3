import Ingest
import Server
import Timeshift
import Wire

/// A station as the pages of Icecast and SHOUTcast show it.
struct MonitoredStation {
  let snapshot: StationSnapshot
  /// Who listens to it now.
  let listeners: [ListenerSnapshot]

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

  /// Addresses, each once.
  var uniqueListeners: Int { Set(listeners.map(\.address)).count }

  /// Of those who listen now, in seconds.
  var averageTime: Int {
    listeners.isEmpty ? 0 : Int(bounded: listeners.map(\.seconds).reduce(0, +)) / listeners.count
  }

  /// Seconds since the upstream was connected.
  func uptime(at now: WallTime) -> Int {
    guard isConnected, let since = snapshot.upstream.connectedSince else { return 0 }
    return max(0, Int(bounded: now.seconds(since: since)))
  }
}
