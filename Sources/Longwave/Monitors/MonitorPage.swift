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

  /// Whether asking changes anything, which these pages do by GET.
  var hasEffect: Bool {
    switch self {
    case .moveClients, .killClient, .killSource, .metadata, .adminCGI: true
    case .statusJSON, .adminStats, .listMounts, .listClients, .streamList, .seven, .stats,
      .statistics, .currentSong, .nextSong, .played:
      false
    }
  }

  /// Whether it says what is playing, which a source may for its own station.
  var isAnnouncement: Bool { self == .metadata || self == .adminCGI }
}
