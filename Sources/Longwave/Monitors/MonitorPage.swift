/// The pages that monitors and scripts of Icecast and SHOUTcast ask for.
enum MonitorPage: Hashable {
  // Icecast's
  case statusJSON
  case adminStats, listMounts, listClients, moveClients, killClient, killSource, metadata
  case streamList
  // SHOUTcast's
  case seven, stats, statistics, currentSong, nextSong, played
  /// `/admin.cgi`, which has its password in the query.
  case adminCGI

  /// Whether it is for administrators.
  var needsToken: Bool {
    switch self {
    case .adminStats, .listMounts, .listClients, .moveClients, .killClient, .killSource, .metadata,
      .streamList, .adminCGI:
      true
    case .statusJSON, .seven, .stats, .statistics, .currentSong, .nextSong, .played: false
    }
  }

  /// Whether it says what is playing, which a source may for its own station.
  var isAnnouncement: Bool { self == .metadata || self == .adminCGI }

  /// The page at a path, its parts between the slashes. All of them answer GET, as they always did, and POST
  /// with the query as a form, as libshout asks.
  static func at(_ parts: [String]) -> MonitorPage? {
    switch parts {
    case ["status-json.xsl"]: .statusJSON
    case ["7.html"]: .seven
    case ["stats"]: .stats
    case ["statistics"]: .statistics
    case ["currentsong"]: .currentSong
    case ["nextsong"]: .nextSong
    case ["played"], ["played.html"]: .played
    case ["admin.cgi"]: .adminCGI
    case ["admin", "admin.cgi"]: .adminCGI
    case ["admin", "stats"], ["admin", "stats.xml"]: .adminStats
    case ["admin", "listmounts"]: .listMounts
    case ["admin", "listclients"]: .listClients
    case ["admin", "moveclients"]: .moveClients
    case ["admin", "killclient"]: .killClient
    case ["admin", "killsource"]: .killSource
    case ["admin", "metadata"]: .metadata
    case ["admin", "streamlist"], ["admin", "streamlist.txt"]: .streamList
    default: nil
    }
  }
}
