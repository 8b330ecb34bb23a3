import Foundation
import Ingest
import Reactor
import Server
import Testing
import Timeshift
import Wire

@testable import Longwave

@Suite struct ConfigurationTests {
  struct Mistake: CustomTestStringConvertible, Sendable {
    var yaml: String
    var lines: [String]
    var testDescription: String { lines.first ?? yaml }

    init(_ yaml: String, _ lines: String...) {
      self.yaml = yaml
      self.lines = lines
    }
  }

  static let mistakes: [Mistake] = [
    Mistake(
      "server:\n  proxy-protocol: true\n",
      "c.yml:2: server.proxy-protocol: is for trusted proxies; list them in trusted-proxies:"),
    Mistake(
      "server:\n  tls:\n    certificate: /nowhere/c.pem\n    key: /nowhere/k.pem\n",
      "c.yml:3: server.tls.certificate: /nowhere/c.pem is not there"),
    Mistake(
      "server:\n  tls: {certificate: /nowhere/c.pem}\n",
      "c.yml:2: server.tls.key: is missing; write the path of a PEM file"),
    Mistake(
      "server:\n  tls:\n    certificates: /c\n    certificate: /dev/null\n    key: /dev/null\n",
      "c.yml:3: server.tls.certificates: unknown key; did you mean certificate?",
      "c.yml:4: server.tls.certificate: /dev/null holds no certificate in PEM form "
        + "(-----BEGIN CERTIFICATE-----)"),
    Mistake(
      "certificate: /c\n", "c.yml:1: certificate: unknown key here; it belongs under tls:"),
    Mistake(
      "log:\n  access: /a\n  playlist: /a\n",
      "c.yml:3: log.playlist: is the access log already; give each a file of its own"),
    Mistake(
      "server:\n  deny-agents: [\"\"]\n",
      "c.yml:2: server.deny-agents: is empty or longer than 256 bytes; "
        + "write a pattern for User-Agents, such as \"BadBot*\""),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    auth:\n      token: abcdefgh\n",
      "c.yml:4: stations[0].auth: lets nobody in; write tokens:, htpasswd: or listener-add:",
      "c.yml:5: stations[0].auth.token: unknown key; did you mean tokens?"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    auth: {listener-remove: http://b/, tokens: 12345678}\n",
      "c.yml:4: stations[0].auth.listener-remove: is told of nobody without a listener-add:"),
    Mistake("servers:\n", "c.yml:1: servers: unknown key; did you mean server?"),
    Mistake(
      "server:\n  listn: x\n", "c.yml:2: server.listn: unknown key; did you mean listen?"),
    Mistake(
      "listeners:\n  max_lag: 3s\n",
      "c.yml:2: listeners.max_lag: unknown key; did you mean max-lag?"),
    Mistake(
      "listeners:\n  maxLag: 3s\n", "c.yml:2: listeners.maxLag: unknown key; did you mean max-lag?"),
    Mistake(
      "window: 4h\n", "c.yml:1: window: unknown key here; it belongs under timeshift:"),
    Mistake(
      "timeshift:\n  colour: red\n",
      "c.yml:2: timeshift.colour: unknown key; known here: window, disk-limit"),
    Mistake(
      "server: yes\n", "c.yml:1: server: must hold keys, such as listen:"),
    Mistake(
      "server:\n  threads: two\n",
      "c.yml:2: server.threads: \"two\" is not a whole number; write one from 0 to 1024"),
    Mistake(
      "server:\n  threads: 0x10\n",
      "c.yml:2: server.threads: \"0x10\" is not a whole number; write one from 0 to 1024"),
    Mistake(
      "server:\n  threads: 1e3\n",
      "c.yml:2: server.threads: \"1e3\" is not a whole number; write one from 0 to 1024"),
    Mistake(
      "server:\n  max-listeners: 0\n",
      "c.yml:2: server.max-listeners: 0 is out of range; write a whole number from 1 to 10000000"),
    Mistake(
      "server:\n  listen: 8000\n",
      "c.yml:2: server.listen: \"8000\" is not an address; "
        + "write HOST:PORT, such as 0.0.0.0:8000 or [::]:8000"),
    Mistake(
      "server:\n  listen:\n  - 0.0.0.0:8000\n  - 0.0.0.0:99999\n",
      "c.yml:4: server.listen: \"0.0.0.0:99999\" is not an address; "
        + "write HOST:PORT, such as 0.0.0.0:8000 or [::]:8000"),
    Mistake(
      "server:\n  listen: [127.0.0.1:8000]\n  shoutcast-listen: 127.0.0.1:8000\n",
      "c.yml:3: server.shoutcast-listen: 127.0.0.1:8000 is where listeners connect; write the port after it"
    ),
    Mistake(
      "server:\n  listen: []\n", "c.yml:2: server.listen: is empty; write at least one HOST:PORT"),
    Mistake(
      "server:\n  data:\n", "c.yml:2: server.data: has nothing; write the path of a folder"),
    Mistake(
      "server:\n  public-url: radio.example.org\n",
      "c.yml:2: server.public-url: \"radio.example.org\" is not a URL that begins with "
        + "http:// or https://"),
    Mistake(
      "timeshift:\n  window: 12:30\n",
      "c.yml:2: timeshift.window: \"12:30\" is not a duration; write 90s, 5m or 1h30m"),
    Mistake(
      "timeshift:\n  window: no\n",
      "c.yml:2: timeshift.window: \"no\" is not a duration; write 90s, 5m or 1h30m"),
    Mistake(
      "timeshift:\n  window: -4h\n",
      "c.yml:2: timeshift.window: -4h is out of range; write 0s to 366d"),
    Mistake(
      "timeshift:\n  disk-limit: plenty\n",
      "c.yml:2: timeshift.disk-limit: \"plenty\" is not a size; "
        + "write 20GB, 512MiB or a number of bytes"),
    Mistake(
      "timeshift:\n  disk-limit: 1MB\n",
      "c.yml:2: timeshift.disk-limit: 1MB is out of range; write 10MB to 1000TB"),
    Mistake(
      "listeners:\n  burst: 2m\n", "c.yml:2: listeners.burst: 2m is out of range; write 0s to 1m"),
    Mistake(
      "listeners:\n  behind: shfit\n",
      "c.yml:2: listeners.behind: \"shfit\" is unknown; did you mean shift?"),
    Mistake(
      "listeners:\n  behind: yes\n",
      "c.yml:2: listeners.behind: \"yes\" is unknown; write shift, skip or drop"),
    Mistake(
      "listeners:\n  metaint: 16kB\n",
      "c.yml:2: listeners.metaint: \"16kB\" is not a whole number; write one from 512 to 1048576"),
    Mistake(
      "listeners:\n  burst: {seconds: 4}\n",
      "c.yml:2: listeners.burst: has keys of its own; write a duration, such as 90s, 5m or 1h30m"),
    Mistake(
      "upstream:\n  metadata-encoding: windows-1351\n",
      "c.yml:2: upstream.metadata-encoding: \"windows-1351\" is not a charset that this machine knows; "
        + "did you mean windows-1251?"),
    Mistake(
      "upstream:\n  metadata-encoding: utf-16\n",
      "c.yml:2: upstream.metadata-encoding: titles cannot be in \"utf-16\", which is not ASCII "
        + "with more letters; iconv -l lists those there are"),
    Mistake(
      "upstream:\n  metadata-encoding: detect\n",
      "c.yml:2: upstream.metadata-encoding: detect chooses between charsets; "
        + "list two or more in metadata-candidates:"),
    Mistake(
      "upstream:\n  metadata-candidates: [koi8-r, windows-1251]\n",
      "c.yml:2: upstream.metadata-candidates: is for detection; "
        + "write metadata-encoding: detect too"),
    Mistake(
      "upstream:\n  metadata-encoding: detect\n  metadata-candidates: [koi8-r, latin1, klingon//IGNORE]\n",
      "c.yml:3: upstream.metadata-candidates: \"klingon//ignore\" is not a charset that this "
        + "machine knows; iconv -l lists those there are"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    title-pattern: {title}\n",
      "c.yml:4: stations[0].title-pattern: has keys of its own; "
        + "write a pattern in quotes, such as \"{artist} - {title}\""),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    title-pattern: '{artist} - {song}'\n",
      "c.yml:4: stations[0].title-pattern: has {song}, which is unknown; "
        + "write {artist}, {title}, {artwork} or {*}"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    title-shift: 61s\n",
      "c.yml:4: stations[0].title-shift: 61s is out of range; write -1m to 1m"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    metadata: now.xml\n",
      "c.yml:4: stations[0].metadata: \"now.xml\" is not a URL that begins with http:// or https://"
    ),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    metadata: {kind: icecast}\n",
      "c.yml:4: stations[0].metadata.url: is missing; write the URL of the page"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    metadata: {url: http://b/, kind: xml}\n",
      "c.yml:4: stations[0].metadata.title: is missing; "
        + "say where the title stands, such as now.song.title"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    metadata: {url: http://b/, kind: text, mount: /x}\n",
      "c.yml:4: stations[0].metadata.mount: says nothing here; it is for kind: icecast"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    metadata: {url: http://b/, interval: 0}\n",
      "c.yml:4: stations[0].metadata.interval: 0 is out of range; write 1s to 1h"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    metadata: {url: http://b/, time-zone: Mars/Base}\n",
      "c.yml:4: stations[0].metadata.time-zone: \"Mars/Base\" is not a time zone, "
        + "such as Europe/Berlin or +02:00"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    metadata: {url: http://b/, intervall: 5s}\n",
      "c.yml:4: stations[0].metadata.intervall: unknown key; did you mean interval?"),
    Mistake(
      "upstream:\n  user-agent: [a, b]\n",
      "c.yml:2: upstream.user-agent: has a list; write a text"),
    Mistake(
      "admin:\n  token: geheim\n",
      "c.yml:2: admin.token: must be 8 to 256 printable ASCII characters without blanks, "
        + "or \"\" for none"),
    Mistake("stations: jazz\n", "c.yml:1: stations: must be a list; begin each station with - id:"),
    Mistake(
      "stations:\n  jazz:\n    upstream: http://a/\n",
      "c.yml:2: stations: must be a list; begin each station with - id:"),
    Mistake("stations:\n  - jazz\n", "c.yml:2: stations[0]: must hold keys, such as id:"),
    Mistake(
      "stations:\n  - name: Jazz\n    upstream: http://a/\n",
      "c.yml:2: stations[0].id: is missing; "
        + "write 1 to 64 of a-z 0-9 - _ . that begin with a letter or digit"),
    Mistake(
      "stations:\n  - id: jazz\n",
      "c.yml:2: stations[0].upstream: is missing; write one URL, or a list of them"),
    Mistake(
      "stations:\n  - id: jazz\n    upstream: []\n",
      "c.yml:3: stations[0].upstream: is empty; write at least one URL"),
    Mistake(
      "stations:\n  - id: jazz\n    upstream: [http://a/, ftp://b/]\n",
      "c.yml:3: stations[0].upstream: \"ftp://b/\" is not a URL that begins with "
        + "http:// or https://, or push: for a source that connects here"),
    Mistake(
      "stations:\n  - {id: a, upstream: http://a/, type: audio/mpeg}\n",
      "c.yml:2: stations[0].type: \"audio/mpeg\" is unknown; write mp3, aac or ogg"),
    Mistake(
      "upstream:\n  request-headers: [\"No colon\"]\n",
      "c.yml:2: upstream.request-headers: \"No colon\" does not begin a header; write a header "
        + "such as \"Referer: https://example.org/\""),
    Mistake(
      "upstream:\n  request-headers: [\"Host: x\"]\n",
      "c.yml:2: upstream.request-headers: Host is set by the relay itself; leave it out"),
    Mistake(
      "upstream:\n  proxy: proxy:3128\n",
      "c.yml:2: upstream.proxy: is not a proxy such as http://proxy:3128 or "
        + "socks5h://127.0.0.1:1080"),
    Mistake(
      "server:\n  deny: [10.0.0.0/99]\n",
      "c.yml:2: server.deny: \"10.0.0.0/99\" is not an address or a range of them, such as "
        + "192.0.2.7, 10.0.0.0/8 or 2001:db8::/32"),
    Mistake(
      "listeners:\n  max-per-address: -1\n",
      "c.yml:2: listeners.max-per-address: -1 is out of range; write a whole number from 0 to "
        + "1000000"),
    Mistake(
      "stations:\n  - id: jazz\n    upstream: [push]\n",
      "c.yml:2: stations[0].source-password: is missing; a station with push: among its upstreams "
        + "needs one"),
    Mistake(
      "stations:\n  - id: jazz\n    upstream:\n      - push:\n    source-password: short\n",
      "c.yml:5: stations[0].source-password: must be 8 to 256 printable ASCII characters without "
        + "blanks, or \"\" for none"),
    Mistake(
      "stations:\n  - id: Jazz\n    upstream: http://a/\n",
      "c.yml:2: stations[0].id: \"Jazz\" has a character other than a-z, 0-9, - _ and .; "
        + "write 1 to 64 of a-z 0-9 - _ . that begin with a letter or digit"),
    Mistake(
      "stations:\n  - id: api\n    upstream: http://a/\n",
      "c.yml:2: stations[0].id: \"api\" is one of the server's own paths; "
        + "write 1 to 64 of a-z 0-9 - _ . that begin with a letter or digit"),
    Mistake(
      "stations:\n  - id: jazz.m3u\n    upstream: http://a/\n",
      "c.yml:2: stations[0].id: \"jazz.m3u\" ends in .m3u, which is the name of a playlist; "
        + "write 1 to 64 of a-z 0-9 - _ . that begin with a letter or digit"),
    Mistake(
      "stations:\n  - {id: a, upstream: http://a/}\n  - {id: a, upstream: http://b/}\n",
      "c.yml:3: stations[1].id: \"a\" is already the station of line 2"),
    Mistake(
      "stations:\n  - {id: a, upstream: http://a/}\n"
        + "  - {id: b, upstream: http://b/, mounts: /a}\n",
      "c.yml:3: stations[1].mounts: /a already leads to the station of line 2"),
    Mistake(
      "stations:\n  - {id: a, upstream: http://a/, mounts: [x, /a/../b]}\n",
      "c.yml:2: stations[0].mounts: \"x\" is not a path; write one such as /stream.mp3",
      "c.yml:2: stations[0].mounts: \"/a/../b\" has an empty, . or .. part; "
        + "write a plain path such as /live/jazz.mp3"),
    Mistake(
      "stations:\n  - {id: a, upstream: http://a/, public: no}\n",
      "c.yml:2: stations[0].public: \"no\" is neither true nor false; write one of them"),
    Mistake(
      "server:\n  threads: 1\nserver:\n  threads: 2\n",
      "c.yml:1: server: is written more than once (here first); keep one"),
    Mistake(
      "server:\n\tthreads: 1\n",
      "c.yml:2: is not YAML: found character that cannot start any token; "
        + "indent with blanks, not tabs, and quote what begins with @ or `"),
    Mistake(
      "stations:\n  - {id: a, files: /srv, upstream: http://a/}\n",
      "c.yml:2: stations[0].upstream: has no place beside files:, which says where the audio is; "
        + "write one of them"),
    Mistake(
      "stations:\n  - {id: a, files: shows}\n",
      "c.yml:2: stations[0].files: \"shows\" is not a path that begins with a slash"),
    Mistake(
      "stations:\n  - {id: a, upstream: http://a/, throttle-bypass: 5s}\n",
      "c.yml:2: stations[0].throttle-bypass: goes with files:, the folder that the station serves"),
    Mistake(
      "stations:\n  - {id: west, of: rock, delay: 5s}\n",
      "c.yml:2: stations.west.of: there is no station \"rock\""),
    Mistake(
      "stations:\n  - {id: jazz, upstream: http://a/, window: 1h}\n"
        + "  - {id: west, of: jazz, delay: 1h}\n  - {id: far, of: west, delay: 5s}\n",
      "c.yml:3: stations.west.delay: \"jazz\" keeps 3600 s; write less, or let it keep more",
      "c.yml:4: stations.far.of: \"west\" is itself another station, later; name that one"),
    Mistake(
      "stations:\n  - {id: west, of: west, upstream: http://a/}\n",
      "c.yml:2: stations[0].delay: is missing; write how much later, such as 8h",
      "c.yml:2: stations[0].of: is the station itself; name another one",
      "c.yml:2: stations[0].upstream: has no place beside of:, which says where the audio comes from"
    ),
    Mistake(
      "stations:\n  - {id: \"a\\tb\", upstream: http://a/}\n",
      "c.yml:2: stations[0].id: \"a\\x09b\" has a character other than a-z, 0-9, - _ and .; "
        + "write 1 to 64 of a-z 0-9 - _ . that begin with a letter or digit"),
    Mistake(
      "server:\n  threads: -1\nlisteners:\n  brust: 4s\nadmin:\n  token: x\n",
      "c.yml:2: server.threads: -1 is out of range; write a whole number from 0 to 1024",
      "c.yml:4: listeners.brust: unknown key; did you mean burst?",
      "c.yml:6: admin.token: must be 8 to 256 printable ASCII characters without blanks, "
        + "or \"\" for none"),
  ]

  @Test(arguments: mistakes)
  func `a mistake is told in one line with its place and what would be right`(mistake: Mistake) {
    #expect(throws: ConfigurationError.self) {
      try Configuration.parse(yaml: mistake.yaml, file: "c.yml")
    }
    do throws(ConfigurationError) {
      _ = try Configuration.parse(yaml: mistake.yaml, file: "c.yml")
    } catch {
      #expect(error.problems.map(\.description) == mistake.lines)
    }
  }

  @Test(arguments: ["", "\n", "# nothing\n", "server:\nstations:\n", "stations: []\n"])
  func `an empty file is the defaults`(yaml: String) throws {
    var defaults = Configuration()
    defaults.file = "c.yml"
    #expect(try Configuration.parse(yaml: yaml, file: "c.yml") == defaults)
  }

  @Test func `every key of a full file arrives`() throws {
    let configuration = try Configuration.parse(yaml: Self.full, file: "c.yml")
    #expect(
      configuration.server.listen == [
        .ipv4(0x7F00_0001, port: 0), .ipv6(0, 0, port: 8001),
      ])
    #expect(configuration.server.data == "/srv/radio")
    #expect(configuration.server.threads == 2)
    #expect(configuration.server.listenersMax == 500)
    #expect(configuration.server.publicURL == "https://radio.example.org")
    #expect(configuration.timeshift.window == 86_400)
    #expect(configuration.timeshift.diskLimit == 2 << 30)
    #expect(configuration.listeners.burst == MediaTime(seconds: 2.5))
    #expect(configuration.listeners.behind == .drop)
    #expect(configuration.listeners.lagMax == MediaTime(seconds: 90))
    #expect(configuration.listeners.pauseTimeout == 0)
    #expect(configuration.listeners.metaint == 8192)
    #expect(configuration.listeners.paused == .hold)
    #expect(configuration.sessions.timeout == 7200 && configuration.sessions.sessionsMax == 50)
    #expect(configuration.upstream.userAgent == "no")
    #expect(configuration.upstream.connectTimeout == 5)
    #expect(configuration.upstream.dataTimeout == 20)
    #expect(configuration.upstream.encoding == .named(try CharsetName("latin1")))
    #expect(configuration.admin.token == "12345678")
    let jazz = try #require(configuration.stations.first)
    #expect(jazz.id == "jazz")
    #expect(jazz.name == "12:30")
    #expect(jazz.upstream == ["http://user:secret@a.example/x?y=1", "https://b.example/"])
    #expect(jazz.isPublic)
    #expect(jazz.paths == ["/jazz", "/Stream.mp3", "/live/x"])
    #expect(jazz.listenerSettings(configuration.listeners).lagMax == MediaTime(seconds: 5))
    #expect(jazz.listenerSettings(configuration.listeners).metaint == 8192)
    #expect(jazz.window == 0)
    #expect(configuration.stations.last?.upstream == ["http://c.example:8000/;"])
  }

  static let full = """
    server:
      listen: ["127.0.0.1:0", "[::]:8001"]
      data: /srv/radio
      threads: 2
      max-listeners: 500
      public-url: https://radio.example.org/
    timeshift: {window: 1d, disk-limit: 2GiB}
    listeners:
      {burst: 2.5, behind: drop, max-lag: 1m30s, pause-timeout: 0, metaint: 8192, paused: hold,
       session-timeout: 2h, max-sessions: 50}
    upstream:
      user-agent: no
      connect-timeout: 5s
      data-timeout: 20
      metadata-encoding: latin1
    admin: {token: 12345678}
    stations:
      - id: jazz
        name: 12:30
        upstream:
          - http://user:secret@a.example/x?y=1
          - https://b.example/
        public: true
        mounts: [/Stream.mp3, /live/x]
        window: 0
        max-lag: 5s
      - id: "2"
        upstream: http://c.example:8000/;
    """

  @Test func `the token of the environment comes before the file's`() throws {
    var configuration = Configuration()
    try configuration.apply(["LONGWAVE_ADMIN_TOKEN": "from-outside"])
    #expect(configuration.admin.token == "from-outside")
    #expect(throws: ConfigurationError.self) {
      var configuration = Configuration()
      try configuration.apply(["LONGWAVE_ADMIN_TOKEN": "short"])
    }
  }

  @Test func `a file that is not there is one line`() {
    do throws(ConfigurationError) {
      _ = try Configuration.load(file: "/nowhere/c.yml", environment: [:])
      Issue.record("a file that is not there was read")
    } catch {
      #expect(error.description == "/nowhere/c.yml: no such file")
    }
  }
}

@Suite struct ManualTests {
  static var text: String {
    get throws {
      let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
      return try String(
        contentsOf: root.appending(path: "Config/longwave.yml"), encoding: .utf8)
    }
  }

  @Test func `the manual says what a relay does without it`() throws {
    var defaults = Configuration()
    defaults.file = "longwave.yml"
    #expect(try Configuration.parse(yaml: Self.text, file: "longwave.yml") == defaults)
  }

  @Test func `the manual shows every key`() throws {
    let text = try Self.text
    for (section, keys) in ConfigurationKeys.sections {
      for key in keys {
        #expect(text.contains("\(key):"), "\(section).\(key) is missing")
      }
    }
  }

  @Test func `the example station in the manual is right`() throws {
    let text = try Self.text
    let example = try #require(text.firstRange(of: "\n# stations:\n"))
    let yaml = text[example.lowerBound...].split(separator: "\n")
      .map { $0.dropFirst(2) }.joined(separator: "\n")
    let stations = try Configuration.parse(yaml: yaml, file: "example").stations
    let station = try #require(stations.first)
    #expect(station.id == "jazz")
    #expect(station.userAgent == "Mozilla/5.0")
    for key in ConfigurationKeys.station { #expect(yaml.contains("\(key):")) }
  }
}
