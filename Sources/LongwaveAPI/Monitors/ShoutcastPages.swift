import Longwave
import Server
import Timeshift
import Wire

/// The pages that monitors of SHOUTcast read (DNAS 2.4 to 2.6). Titles are UTF-8.
struct ShoutcastPages {
  let now: WallTime
  let version: String
  /// The most listeners that the server accepts.
  let listenersMax: Int

  /// Returns the page `/7.html`: seven values in a line; the last one, the title, may contain commas.
  func seven(_ station: MonitoredStation?) -> String {
    let line = station.map { station in
      let listeners = station.snapshot.listeners
      return "\(listeners.now),\(station.isConnected ? 1 : 0),\(listeners.peak),\(listenersMax),"
        + "\(station.audience.addresses),\(station.bitrate),\(XMLText.escaped(station.title))"
    }
    return "<HTML><meta http-equiv=\"Pragma\" content=\"no-cache\"></head><body>"
      + (line ?? "0,0,0,\(listenersMax),0,0,") + "</body></html>"
  }

  /// Returns the fields of `/stats`, for one stream.
  func stats(_ station: MonitoredStation) -> [Field] {
    let shown = station.snapshot
    return [
      Field("CURRENTLISTENERS", shown.listeners.now), Field("PEAKLISTENERS", shown.listeners.peak),
      Field("MAXLISTENERS", listenersMax), Field("UNIQUELISTENERS", station.audience.addresses),
      Field("AVERAGETIME", station.audience.averageSeconds), Field("SERVERGENRE", shown.genre),
      Field("SERVERGENRE2", ""), Field("SERVERGENRE3", ""), Field("SERVERGENRE4", ""),
      Field("SERVERGENRE5", ""), Field("SERVERURL", shown.homepage),
      Field("SERVERTITLE", shown.name), Field("SONGTITLE", station.title),
      Field("STREAMHITS", shown.listeners.total),
      Field("STREAMSTATUS", station.isConnected ? 1 : 0), Field("BACKUPSTATUS", 0),
      Field("STREAMPATH", station.mount), Field("STREAMUPTIME", station.uptime(at: now)),
      Field("BITRATE", "\(station.bitrate)"), Field("SAMPLERATE", "\(station.sampleRate)"),
      Field("CONTENT", station.mediaType), Field("VERSION", version),
    ]
  }

  /// Returns the fields of `/statistics` that are sums over all streams.
  func statistics(_ all: MonitoredStations) -> [Field] {
    let stations = all.list
    return [
      Field("TOTALSTREAMS", stations.count),
      Field("ACTIVESTREAMS", stations.count(where: \.isConnected)),
      Field("CURRENTLISTENERS", stations.map(\.snapshot.listeners.now).reduce(0, +)),
      Field("PEAKLISTENERS", stations.map(\.snapshot.listeners.peak).reduce(0, +)),
      Field("MAXLISTENERS", listenersMax),
      Field("UNIQUELISTENERS", all.audience.addresses),
      Field("AVERAGETIME", all.audience.averageSeconds), Field("VERSION", version),
    ]
  }

  /// One value; its name is in upper case in XML and in lower case in JSON.
  struct Field {
    let name: String
    let value: JSON

    init(_ name: String, _ number: Int) { (self.name, value) = (name, JSON(number)) }
    init(_ name: String, _ text: String?) { (self.name, value) = (name, .string(text ?? "")) }

    var element: XMLElement {
      switch value {
      case .string(let text): XMLElement(name, text: text)
      default: XMLElement(name, text: value.text)
      }
    }

    var member: JSON.Member { JSON.Member(key: name.lowercased(), value: value) }
  }
}

extension ShoutcastPages {
  func statsXML(_ station: MonitoredStation) -> String {
    XMLElement("SHOUTCASTSERVER", [:], stats(station).map(\.element)).document
  }

  func statsJSON(_ station: MonitoredStation) -> JSON { .object(stats(station).map(\.member)) }

  func statisticsXML(_ all: MonitoredStations) -> String {
    let streams = all.list.map { station in
      XMLElement("STREAM", ["id": "\(station.snapshot.sid)"], stats(station).map(\.element))
    }
    let sums = statistics(all).map(\.element)
    return XMLElement(
      "SHOUTCASTSERVER", [:], [XMLElement("STREAMSTATS", [:], sums + streams)]
    ).document
  }

  func statisticsJSON(_ all: MonitoredStations) -> JSON {
    let streams = all.list.map { station in
      JSON.object(
        [JSON.Member(key: "id", value: JSON(station.snapshot.sid))] + stats(station).map(\.member))
    }
    return .object(
      statistics(all).map(\.member) + [.init(key: "streams", value: .array(streams))])
  }

  /// Returns the page `/played`, newest title first, with times in Unix seconds.
  func playedXML(_ titles: [NowPlaying]) -> String {
    XMLElement("SHOUTCASTSERVER", [:], [songs(titles)]).document
  }

  private func songs(_ titles: [NowPlaying]) -> XMLElement {
    XMLElement(
      "SONGHISTORY", [:],
      titles.map { title in
        XMLElement(
          "SONG", [:],
          [XMLElement("PLAYEDAT", Self.seconds(title)), XMLElement("TITLE", text: title.line)])
      })
  }

  /// Returns the page `admin.cgi?mode=viewxml` (DNAS 1.9 and 2).
  ///
  /// - Parameter page: `1` for the figures alone, `3` for the listeners, `4` for the titles; everything for any other.
  func overviewXML(
    _ station: MonitoredStation, _ listeners: [ListenerSnapshot], _ titles: [NowPlaying],
    page: String?
  ) -> String {
    let clients = listeners.map { listener in
      XMLElement(
        "LISTENER", [:],
        [
          XMLElement("HOSTNAME", text: listener.address),
          XMLElement("USERAGENT", text: listener.player ?? ""), XMLElement("UNDERRUNS", 0),
          XMLElement("CONNECTTIME", Int(bounded: listener.seconds)), XMLElement("POINTER", 0),
          XMLElement("UID", listener.id),
        ])
    }
    let parts =
      switch page {
      case "1": stats(station).map(\.element)
      case "3": [XMLElement("LISTENERS", [:], clients)]
      case "4": [songs(titles)]
      default:
        stats(station).map(\.element) + [XMLElement("LISTENERS", [:], clients), songs(titles)]
      }
    return XMLElement("SHOUTCASTSERVER", [:], parts).document
  }

  func playedJSON(_ titles: [NowPlaying]) -> JSON {
    .array(titles.map { ["playedat": JSON(Self.seconds($0)), "title": .string($0.line)] })
  }

  private static func seconds(_ title: NowPlaying) -> Int64 {
    title.since?.unixSeconds ?? 0
  }
}
