import Longwave
import Server
import Timeshift
import Wire

/// The pages under Icecast's `/admin/`, in the spelling of its version 2.4, which scripts read.
struct IcecastAdmin {
  let stations: [MonitoredStation]
  let figures: RelayFigures
  /// The scheme, host and port that listeners use.
  let base: String

  /// The page `/admin/listmounts`.
  var mounts: XMLElement {
    // Monitors take a mount that is not listed for one without a source.
    XMLElement("icestats", [:], stations.filter(\.isConnected).map(listed))
  }

  /// Returns where the listeners of a mount may be moved to.
  func targets(from station: MonitoredStation) -> XMLElement {
    let others = stations.filter { $0.isConnected && $0.snapshot.id != station.snapshot.id }
    return XMLElement(
      "icestats", [:], [XMLElement("current_source", text: station.mount)] + others.map(listed))
  }

  private func listed(_ station: MonitoredStation) -> XMLElement {
    XMLElement(
      "source", ["mount": station.mount],
      [
        XMLElement("fallback", text: station.fallback),
        XMLElement("listeners", station.snapshot.listeners.now),
      ] + Self.authenticator(of: station) + [
        XMLElement("Connected", station.uptime(at: now)),
        XMLElement("content-type", text: station.mediaType),
      ])
  }

  private static func authenticator(of station: MonitoredStation) -> [XMLElement] {
    station.snapshot.mount.authenticator.map { [XMLElement("authenticator", text: $0)] } ?? []
  }

  /// The page `/admin/streamlist.txt`, with one path per line.
  var streamList: String { stations.filter(\.isConnected).map { $0.mount + "\r\n" }.joined() }

  /// Returns the page `/admin/listclients`.
  func clients(of station: MonitoredStation, _ listeners: [ListenerSnapshot]) -> XMLElement {
    let clients = listeners.map { listener in
      let user = listener.user.map { [XMLElement("username", text: $0)] } ?? []
      return XMLElement(
        "listener", ["id": "\(listener.id)"],
        [
          XMLElement("ID", listener.id), XMLElement("IP", text: listener.address),
          XMLElement("UserAgent", text: listener.player ?? ""),
          XMLElement("Connected", Int(bounded: listener.seconds)),
          XMLElement("lag", text: JSON(listener.lag).text),
        ] + user)
    }
    let count = XMLElement("Listeners", listeners.count)
    return XMLElement(
      "icestats", [:], [XMLElement("source", ["mount": station.mount], [count] + clients)]
    )
  }

  /// Returns the page `/admin/stats`, for one station or for all.
  func stats(of shown: [MonitoredStation]) -> XMLElement {
    let server = figures.server
    let sums =
      [
        XMLElement("admin", text: ""), XMLElement("client_connections", server.accepted),
        XMLElement("clients", server.connections), XMLElement("connections", server.accepted),
        XMLElement("host", text: WebURL.parts(of: base).host),
        XMLElement("listener_connections", figures.listenersTotal),
        XMLElement("listeners", server.listeners), XMLElement("location", text: ""),
        XMLElement("server_id", text: "Longwave \(figures.version)"),
      ] + Self.time("server_start", figures.startedAt) + [
        XMLElement("sources", stations.count(where: \.isConnected))
      ]
    return XMLElement("icestats", [:], sums + shown.map(source))
  }

  private func source(_ station: MonitoredStation) -> XMLElement {
    let shown = station.snapshot
    func song(_ name: String) -> [XMLElement] {
      station.song.filter { $0.name == name }.map { XMLElement($0.name, text: $0.text) }
    }
    var children = song("artist")
    children += [
      XMLElement("audio_bitrate", station.bitrate.saturatingMultiply(1000)),
      XMLElement("audio_channels", station.channels),
      XMLElement("audio_samplerate", station.sampleRate),
    ]
    children += Self.authenticator(of: station)
    children += [
      XMLElement("bitrate", station.bitrate),
      XMLElement("genre", text: shown.genre ?? ""),
      XMLElement("listener_peak", shown.listeners.peak),
      XMLElement("listeners", shown.listeners.now),
      XMLElement("listenurl", text: base + station.mount),
      XMLElement("max_listeners", text: shown.mount.listenersMax.map(String.init) ?? "unlimited"),
      XMLElement("public", shown.mount.isPublic ? 1 : 0),
      XMLElement("server_description", text: shown.description ?? ""),
      XMLElement("server_name", text: shown.name),
      XMLElement("server_type", text: station.mediaType),
      XMLElement("server_url", text: shown.homepage ?? ""),
    ]
    if let since = shown.upstream.connectedSince { children += Self.time("stream_start", since) }
    children += song("title")
    children.append(XMLElement("total_bytes_read", shown.upstream.bytes))
    return XMLElement("source", ["mount": station.mount], children)
  }

  private static func time(_ name: String, _ time: WallTime) -> [XMLElement] {
    let texts = IcecastTime(time)
    return [XMLElement(name, text: texts.date), XMLElement(name + "_iso8601", text: texts.iso)]
  }

  private var now: WallTime { Moment.now().wall }

  /// Returns the short answer to a call that does something.
  static func reply(_ message: String, isDone: Bool = true) -> XMLElement {
    XMLElement(
      "iceresponse", [:],
      [XMLElement("message", text: message), XMLElement("return", isDone ? 1 : 0)]
    )
  }
}
