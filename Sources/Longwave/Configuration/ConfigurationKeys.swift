import Ingest

/// The keys of each section, in the order in which people are shown them.
package enum ConfigurationKeys {
  package static let sections: [ConfigurationSection] = [
    ("server", server), ("tls", TLSSettings.keys), ("certificates", TLSSettings.pairKeys),
    ("timeshift", timeshift),
    ("recordings", recordings),
    ("listeners", listeners),
    ("upstream", upstream), ("log", log), ("admin", admin), ("web", web),
    ("metrics", metrics),
    ("webhooks", WebhookSettings.rows.names()),
    ("stations", station),
    ("renditions", RenditionSettings.rows.names()), ("auth", AuthSettings.rows.names()),
    ("metadata", MetadataSettings.rows.names()),
    ("record", RecordingRule.rows.names()),
  ]

  static let top =
    ["server", "timeshift", "recordings", "listeners", "upstream", "log", "admin", "web"]
    + ["metrics", "webhooks", "stations"]
  static let server =
    ["listen", "shoutcast-listen", "data", "threads", "max-listeners", "max-connections"]
    + ["max-connections-per-address", "max-watchers", "max-watchers-per-address"]
    + ["public-url", "tls"]
    + access + ["trusted-proxies", "proxy-protocol", "time-zone"]
    + ["paths"]
  /// Keys for who may listen, of the server and of stations.
  static let access = ["allow", "deny", "deny-agents"]
  static let timeshift = ["window", "disk-limit", "disk-reserve"]
  static let recordings = ["folder", "disk-limit", "keep", "keep-count"]
  static let listeners =
    ["burst", "behind", "max-lag", "pause-timeout", "metaint"]
    + ["max-per-address", "max-starts-per-address", "max-listening-time", "paused"]
    + ["session-timeout", "max-sessions"]
    + StationKeys.rights.names() + ["clip-speed", "max-clips-per-address"]
  static let upstream =
    ["user-agent"] + StationKeys.connection.names() + StationKeys.encoding.names()
  static let log = ["format", "access", "playlist", "anonymise"]
  static let admin = ["token", "socket-group"]
  static let web = ["enabled", "title", "admin", "embed"]
  static let metrics = ["allow"]
  static let station = StationKeys.all.names()
}
