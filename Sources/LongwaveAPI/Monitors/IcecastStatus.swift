import Longwave
import Timeshift
import Wire

/// Icecast's `/status-json.xsl`, as its version 2.4 writes it. Without a source there is no `source`; one source is an
/// object, several are an array.
struct IcecastStatus {
  let stations: [MonitoredStation]
  let figures: RelayFigures
  /// The scheme, host and port that listeners use.
  let base: String
  let host: String

  var json: JSON {
    let sources = stations.filter(\.isConnected).map(source)
    var server: [JSON.Member] = [
      .init(key: "admin", value: ""), .init(key: "host", value: .string(host)),
      .init(key: "location", value: ""),
      .init(key: "server_id", value: .string("Longwave \(figures.version)")),
    ]
    server += Self.time("server_start", figures.startedAt)
    switch sources.count {
    case 0: server.append(.init(key: "dummy", value: nil))
    case 1: server.append(.init(key: "source", value: sources[0]))
    default: server.append(.init(key: "source", value: .array(sources)))
    }
    return ["icestats": .object(server)]
  }

  private func source(_ station: MonitoredStation) -> JSON {
    let shown = station.snapshot
    var members: [JSON.Member] = []
    func add(_ key: String, _ value: JSON?) {
      if let value { members.append(.init(key: key, value: value)) }
    }
    // Icecast sorts its keys.
    for field in station.song where field.name == "artist" { add(field.name, .string(field.text)) }
    add("audio_info", .string(audioInfo(station)))
    add("authenticator", shown.mount.authenticator.map { .string($0) })
    if station.bitrate > 0 { add("bitrate", JSON(station.bitrate)) }
    if station.channels > 0 { add("channels", JSON(station.channels)) }
    add("genre", .string(shown.genre ?? ""))
    if station.bitrate > 0 { add("ice-bitrate", JSON(station.bitrate)) }
    add("listener_peak", JSON(shown.listeners.peak))
    add("listeners", JSON(shown.listeners.now))
    add("listenurl", .string(base + station.mount))
    if station.sampleRate > 0 { add("samplerate", JSON(station.sampleRate)) }
    add("server_description", .string(shown.description ?? ""))
    add("server_name", .string(shown.name))
    add("server_type", .string(station.mediaType))
    add("server_url", .string(shown.homepage ?? ""))
    if let since = shown.upstream.connectedSince { members += Self.time("stream_start", since) }
    for field in station.song where field.name == "title" { add(field.name, .string(field.text)) }
    add("dummy", .null)
    return .object(members)
  }

  private func audioInfo(_ station: MonitoredStation) -> String {
    "bitrate=\(station.bitrate);samplerate=\(station.sampleRate);channels=\(station.channels)"
  }

  private static func time(_ key: String, _ time: WallTime) -> [JSON.Member] {
    let texts = IcecastTime(time)
    return [
      .init(key: key, value: .string(texts.date)),
      .init(key: key + "_iso8601", value: .string(texts.iso)),
    ]
  }
}

/// A time as Icecast writes it: `Fri, 09 Apr 2021 21:49:50 +0000`, and in ISO 8601 with a zone without a colon.
struct IcecastTime {
  let date: String
  let iso: String

  init(_ time: WallTime) {
    let time = WallTime(unixSeconds: time.unixSeconds)
    date = time.httpDate.replacing("GMT", with: "+0000")
    iso = time.rfc3339.replacing(".000Z", with: "+0000")
  }
}
