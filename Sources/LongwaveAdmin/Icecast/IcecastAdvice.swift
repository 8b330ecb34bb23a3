/// What to do about settings of Icecast 2.4 that have no counterpart, by their path.
enum IcecastAdvice {
  static func advice(on path: String) -> String {
    words[path] ?? "Icecast 2.4 has no such setting; look for one in Config/longwave.yml"
  }

  /// Whether an element only holds others.
  static func isSection(_ path: String) -> Bool { sections.contains(path) }

  private static let sections: Set<String> = [
    "limits", "authentication", "directory", "listen-socket", "http-headers", "relay", "mount",
    "mount/http-headers", "paths", "logging", "security", "security/changeowner",
  ]

  private static let relaying =
    "nothing asks a master for its mounts; write a station with its upstream for each of them"
  private static let header =
    "answers have the CORS fields that browsers need; a proxy in front can add others"
  private static let directories =
    "nothing is listed in directories; public: true of a station says icy-pub: 1"
  private static let rotation = "logrotate does that; SIGUSR1 opens the logs anew"
  private static let webhook = "no program is run; webhooks: tells a web service of the event state"
  private static let unit = "the unit of systemd sets the user and the folder"

  private static let words: [String: String] = [
    "limits/clients": "write max-listeners: with a number from 1 on",
    "limits/sources": "there is no limit; each station takes one source",
    "limits/queue-size": "a listener who is slow keeps its place in the window (behind: shift)",
    "limits/client-timeout": "pause-timeout: is for listeners that take nothing",
    "limits/header-timeout": "the server has its own time for a request's head",
    "limits/source-timeout": "write data-timeout: with 1 to 600 seconds",
    "limits/threadpool": "see threads: below server:",
    "limits/burst-on-connect": "burst: is the default",
    "limits/burst-size": "burst-on-connect counts; see burst: below listeners:",
    "authentication/source-password":
      "each station with upstream: [push] has a source-password: of its own",
    "authentication/relay-user": "any user name is accepted",
    "authentication/relay-password":
      "a relay that reads /admin/streamlist.txt needs the admin token as master-password",
    "authentication/admin-user": "any user name is accepted with the token",
    "directory/yp-url": directories, "directory/yp-url-timeout": directories,
    "directory/touch-interval": directories,
    "hostname": "playlists have the request's host; write public-url: where that is not public",
    "location": "no page shows this", "admin": "no page shows this",
    "server-id": "the server always names itself Longwave",
    "fileserve": "files are served by a station with files:",
    "listen-socket/port": "a port is a number from 1 to 65535; write listen: [\"0.0.0.0:8000\"]",
    "listen-socket/bind-address": "write listen: with an address of this machine, not with a name",
    "listen-socket/ssl": "tls: makes each port take https beside http",
    "listen-socket/tls": "tls: makes each port take https beside http",
    "listen-socket/shoutcast-mount":
      "SHOUTcast sources come where shoutcast-listen: says; their password chooses the station",
    "listen-socket/shoutcast-compat": "1 is a port of shoutcast-listen:",
    "shoutcast-mount":
      "SHOUTcast sources come where shoutcast-listen: says; their password chooses the station",
    "http-headers/header": header, "mount/http-headers/header": header,
    "master-server": relaying, "master-server-port": relaying, "master-update-interval": relaying,
    "master-username": relaying, "master-password": relaying, "master-redirect": relaying,
    "relays-on-demand": "each station has on-demand:",
    "relay/server": "write a station with this upstream",
    "relay/port": "write a station with this upstream",
    "relay/mount": "write a station with this upstream",
    "relay/local-mount": "write a station with this upstream",
    "relay/username": "write it into the upstream's URL, as in http://USER:PASSWORD@HOST/",
    "relay/password": "write it into the upstream's URL, as in http://USER:PASSWORD@HOST/",
    "relay/on-demand": "write on-demand: at the station",
    "relay/relay-shoutcast-metadata": "titles are always asked for",
    "mount": "this kind of mount is a normal one",
    "mount/mount-name": "it is no path here; write a station for it",
    "mount/username": "any user name is accepted with the source-password",
    "mount/password": "write it as source-password: of a station with upstream: [push]",
    "mount/max-listeners": "write max-listeners: with a number from 1 on",
    "mount/max-listener-duration": "write max-listening-time: with seconds",
    "mount/dump-file": "write record: at the station",
    "mount/intro": "nothing is played before the stream",
    "mount/fallback-mount": "write fallback: station:ID, file:/PATH or silence",
    "mount/fallback-override": "listeners always come back when the station does",
    "mount/fallback-when-full": "a listener too many is answered 503",
    "mount/no-yp": "public: false, the default, says icy-pub: 0",
    "mount/charset": "write metadata-encoding: with a name that iconv knows",
    "mount/public": "write public: true or false; a source does not decide",
    "mount/stream-name": "write name: with at most 256 characters",
    "mount/stream-description": "write description: with at most 1024 characters",
    "mount/stream-url": "write homepage: with http:// or https://",
    "mount/genre": "write genre: with at most 256 characters",
    "mount/bitrate": "icy-br says what the source says, or what is measured",
    "mount/type": "the audio's own bytes decide; type: is mp3, aac or ogg",
    "mount/subtype": "the audio's own bytes decide",
    "mount/burst-size": "write burst: with seconds",
    "mount/queue-size": "a listener who is slow keeps its place in the window (behind: shift)",
    "mount/source-timeout": "write data-timeout: with 1 to 600 seconds",
    "mount/mp3-metadata-interval": "write metaint: with a number from 256 on",
    "mount/hidden": "write listed: false for a station that no list has",
    "mount/no-mount": "listeners may ask for every station; auth: closes one",
    "mount/authentication": "write auth: at the station",
    "mount/on-connect": webhook, "mount/on-disconnect": webhook,
    "paths/basedir": unit, "paths/pidfile": unit,
    "paths/logdir": "write whole paths below log:",
    "paths/webroot": "the pages are in the program; a station with files: serves files",
    "paths/adminroot": "the pages are in the program",
    "paths/allow-ip":
      "the file cannot be read here; write its lines into allow: [\"…\"] below server:",
    "paths/deny-ip":
      "the file cannot be read here; write its lines into deny: [\"…\"] below server:",
    "paths/deny-agents": "write its lines into deny-agents: [\"…\"] below server:",
    "paths/x-forwarded-for": "write the proxy's address into trusted-proxies:",
    "paths/ssl-certificate":
      "write tls: {certificate: FILE, key: FILE} below server:, once the file can be read",
    "paths/tls-certificate":
      "write tls: {certificate: FILE, key: FILE} below server:, once the file can be read",
    "paths/ssl-allowed-ciphers": "TLS 1.2 and 1.3 with OpenSSL's own choice",
    "paths/alias": "write mounts: at a station; pages have no other names",
    "logging/errorlog": "errors go to standard error, for journald",
    "logging/loglevel": "errors go to standard error, for journald",
    "logging/logsize": rotation, "logging/logarchive": rotation,
    "security/chroot": unit, "security/changeowner/user": unit,
    "security/changeowner/group": unit,
  ]
}
