import Server
import Timeshift
import Wire

/// The keys of each section, in the order in which people are shown them.
package enum ConfigurationKeys {
  package static let sections: [(name: String, keys: [String])] = [
    ("server", server), ("tls", tls), ("timeshift", timeshift), ("recordings", recordings),
    ("listeners", listeners),
    ("upstream", upstream), ("log", log), ("admin", admin), ("stations", station),
    ("auth", auth), ("metadata", metadata), ("record", record),
  ]

  static let top =
    ["server", "timeshift", "recordings", "listeners", "upstream", "log", "admin", "stations"]
  static let server =
    ["listen", "shoutcast-listen", "data", "threads", "max-listeners", "max-connections"]
    + ["max-connections-per-address", "max-watchers", "max-watchers-per-address"]
    + ["public-url", "tls"]
    + ["allow", "deny", "deny-agents", "trusted-proxies", "proxy-protocol", "time-zone"]
    + ["paths"]
  /// Of the server's `tls:`.
  static let tls = ["certificate", "key", "only", "kernel"]
  static let timeshift = ["window", "disk-limit", "disk-reserve"]
  static let recordings = ["folder", "disk-limit", "keep", "keep-count"]
  static let listeners =
    ["burst", "behind", "max-lag", "pause-timeout", "metaint"]
    + ["max-per-address", "max-starts-per-address", "max-listening-time", "paused"]
    + ["session-timeout", "max-sessions"]
    + rights + ["clip-speed", "max-clips-per-address"]
  /// What listeners may do: everywhere, and by station.
  static let rights = ["shift", "offset-max", "clip"]
  static let upstream = ["user-agent"] + connection + encoding
  static let encoding = ["metadata-encoding", "metadata-candidates"]
  /// How upstreams are reached: everywhere, and by station.
  static let connection = [
    "connect-timeout", "data-timeout", "request-headers", "proxy", "verify-tls", "ca-file",
    "allow-private",
  ]
  static let log = ["access", "playlist", "anonymise"]
  static let admin = ["token"]
  static let station =
    ["id", "name", "description", "genre", "homepage", "artwork", "upstream", "of", "delay"]
    + ["files", "throttle-bypass"]
    + ["public", "mounts"]
    + ["window", "burst", "behind", "max-lag", "pause-timeout", "metaint", "user-agent"]
    + rights + [
      "type", "max-listeners", "max-listening-time", "allow", "deny", "deny-agents", "auth",
    ]
    + connection + ["source-password", "on-demand", "run-on", "fallback", "fallback-after"]
    + encoding
    + ["title-pattern", "title-shift", "metadata", "record", "time-zone"]
  /// Of an entry of a station's `record:`.
  static let record =
    ["days", "from", "to", "name", "split", "overlap", "append", "max-size", "keep", "keep-count"]
  /// Of a station's `metadata:`.
  static let metadata =
    ["url", "kind", "mount", "sid", "title", "artist", "artwork", "time-zone"]
    + ["interval", "timeout", "charset", "instead"]
  /// Of a station's `auth:`.
  static let auth = ["tokens", "htpasswd", "listener-add", "listener-remove"]
}

/// What each number may be. The upper bounds keep a slip of the pen from becoming a plan.
enum ConfigurationLimits {
  static let threads = 0...1024
  static let listenersMax = 1...10_000_000
  /// 0: what the limit on open files has room for, or a share of that.
  static let connectionsMax = 0...10_000_000
  /// 366 days.
  static let window = 0.0...31_622_400
  /// 10 MB to 1000 TB.
  static let diskLimit: ClosedRange<UInt64> = 10_000_000...1_000_000_000_000_000
  /// Up to the longest window.
  static let delay = 1.0...31_622_400
  static let throttleBypass = 0.0...31_622_400
  static let burst = 0.0...ListenerSettings.burstMax.seconds
  static let lagMax = 1.0...86_400
  static let pauseTimeout = 0.0...31_622_400
  /// Above 1 MiB a title is a minute late.
  static let metaint = ListenerSettings.metaintMin...1_048_576
  static let perAddress = 0...1_000_000
  /// Less is `shift: false`.
  static let offsetMax = 1.0...31_622_400
  static let clipSpeed = 0...10_000
  static let listeningTime = 0.0...31_622_400
  /// Somebody else's server is asked: not more often than once a second.
  static let pollInterval = 1.0...3600
  static let pollTimeout = 0.5...60
  /// Files split by title go on so long before and behind it.
  static let overlap = 0.0...30
  /// 100 kB, some seconds, to 1000 TB.
  static let recordingSize: ClosedRange<UInt64> = 100_000...1_000_000_000_000_000
  /// Less than a minute deletes what nobody has seen.
  static let keep = 60.0...DurationText.secondsMax
  static let keepCount = 1...1_000_000
  static let sid = 1...2_147_483_647
  static let titleShift = -60.0...60
  /// The longest keep for a year.
  static let sessionTimeout = 0.0...31_622_400
  static let sessionsMax = 1...10_000_000
  static let runOn = 0.0...86_400
  /// Upstreams that send in bursts are silent for seconds.
  static let fallbackAfter = 1.0...3600
  /// In a file or a list: many times what one machine relays.
  static let stationsMax = 10_000
  /// In a list of stations, where several of one name are one.
  static let entriesMax = 100_000
  /// Of one station: each is tried in turn when those before it have failed.
  static let upstreamsMax = Bounds.upstreamsMax
  static let connectTimeout = 0.5...120
  static let dataTimeout = 1.0...600
}
