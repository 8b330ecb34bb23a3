import Testing

@testable import Longwave
@testable import LongwaveAPI

/// What is wrong with the file and its sections; stations have a table of their own.
@Suite struct ConfigurationMistakeTests {
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
      "c.yml:3: server.tls.certificates: must be a list; begin each entry with - certificate:",
      "c.yml:4: server.tls.certificate: /dev/null holds no certificate in PEM form "
        + "(-----BEGIN CERTIFICATE-----)"),
    Mistake(
      "hls: {segment: 2s}\n", "c.yml:1: hls: unknown key here; it belongs under listeners:"),
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
      "library: {roots: [{id: a, path: /m/b/}, {id: c, path: /m}, {id: a, path: music}]}\n",
      "c.yml:1: library.roots[0].path: is inside root c; name the outer one only",
      "c.yml:1: library.roots[2].path: \"music\" is not a path that begins with a slash"),
    Mistake(
      "library: {roots: [{id: a, path: //m/./}, {id: a, path: /m}]}\n",
      "c.yml:1: library.roots[1].id: \"a\" is already the id of another root",
      "c.yml:1: library.roots[1].path: is root a already; leave one of them out"),
    Mistake(
      "library: {roots: [{id: A, path: /}, {path: /a/../b, encoding: utf-9}]}\n",
      "c.yml:1: library.roots[0].id: \"A\" has a character other than a-z, 0-9, - _ and .; "
        + "write 1 to 64 of a-z 0-9 - _ . that begin with a letter or digit",
      "c.yml:1: library.roots[0].path: is the whole machine; name a folder in it",
      "c.yml:1: library.roots[1].encoding: \"utf-9\" is not a charset that this machine knows; "
        + "did you mean utf-8?",
      "c.yml:1: library.roots[1].id: is missing; write a name for the folder, such as main",
      "c.yml:1: library.roots[1].path: \"/a/../b\" leads back by ..; write the path without it"),
    Mistake(
      "library: {roots: /srv/music, rescan: 30s, watch: true, missing: 1m, measure: always}\n",
      "c.yml:1: library.measure: \"always\" is unknown; write idle or never",
      "c.yml:1: library.missing: 1m is out of range; write 1h to 3652d12h",
      "c.yml:1: library.rescan: 30s is out of range; write 1m to 7d",
      "c.yml:1: library.roots: must be a list; begin each entry with - id:",
      "c.yml:1: library.watch: \"true\" is unknown; write auto or false"),
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
      "timeshift:\n  flavour: red\n",
      "c.yml:2: timeshift.flavour: unknown key; known here: window, disk-limit, disk-reserve"),
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
      "c.yml:2: server.listen: \"8000\" has no host; write 0.0.0.0:8000 for everybody, or "
        + "127.0.0.1:8000 for this machine"),
    Mistake(
      "server:\n  listen:\n  - 0.0.0.0:8000\n  - 0.0.0.0:99999\n",
      "c.yml:4: server.listen: \"0.0.0.0:99999\" has the port 99999; a port is a number from 0 to "
        + "65535"),
    Mistake(
      "server:\n  listen: [example]\n",
      "c.yml:2: server.listen: \"example\" is not an address; write HOST:PORT, such as 0.0.0.0:8000 "
        + "or \"[::]:8000\""),
    Mistake(
      "stations:\n  - {id: a, upstream: \"alsa:\", encode: {bitrate: 128}}\n",
      "c.yml:2: stations[0].upstream: \"alsa:\" names no sound input; write alsa: and the device, "
        + "such as alsa:default or alsa:hw:1,0 (arecord -L lists them)"),
    Mistake(
      "stations:\n  - {id: a, upstream: \"alsa:default\", encode: 128}\n",
      "c.yml:2: stations[0].encode: must hold keys, such as bitrate:"),
    Mistake(
      "server:\n  listen: [127.0.0.1:8000]\n  shoutcast-listen: 127.0.0.1:8000\n",
      "c.yml:3: server.shoutcast-listen: 127.0.0.1:8000 is where listeners connect; write the port after it"
    ),
    Mistake(
      "server:\n  listen:\n  - 127.0.0.1:8000\n  - localhost:8000\n",
      "c.yml:2: server.listen: 127.0.0.1:8000 is there twice; write it once"),
    Mistake(
      "server:\n  listen: [127.0.0.1:8000, 0.0.0.0:8000]\n",
      "c.yml:2: server.listen: 127.0.0.1:8000 is in 0.0.0.0:8000 already; write one of them"),
    Mistake(
      "server:\n  listen: [\"[::]:8000\", 0.0.0.0:8000, \"[::1]:8000\"]\n",
      "c.yml:2: server.listen: [::1]:8000 is in [::]:8000 already; write one of them"),
    Mistake(
      "server:\n  shoutcast-listen: [127.0.0.1:8001, 127.0.0.1:8001]\n",
      "c.yml:2: server.shoutcast-listen: 127.0.0.1:8001 is there twice; write it once"),
    Mistake(
      "server:\n  listen: [0.0.0.0:8000]\n  shoutcast-listen: 127.0.0.1:8000\n",
      "c.yml:3: server.shoutcast-listen: 127.0.0.1:8000 is in 0.0.0.0:8000, where listeners connect; "
        + "write the port after it"),
    Mistake(
      "server:\n  listen: []\n", "c.yml:2: server.listen: is empty; write at least one HOST:PORT"),
    Mistake(
      "server:\n  data:\n", "c.yml:2: server.data: has nothing; write the path of a folder"),
    Mistake(
      "server:\n  public-url: radio.example.org\n",
      "c.yml:2: server.public-url: \"radio.example.org\" is not a URL that begins with "
        + "http:// or https://; did you mean http://radio.example.org?"),
    Mistake(
      "server:\n  public-url: ftp://me:secret@h/?key=secret\n",
      "c.yml:2: server.public-url: \"ftp://h/\" is not a URL that begins with "
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
      "admin:\n  token: geheim\n",
      "c.yml:2: admin.token: must be 8 to 256 printable ASCII characters without blanks, "
        + "or \"\" for none"),
    Mistake(
      "server:\n  deny: [10.0.0.0/99]\n",
      "c.yml:2: server.deny: \"10.0.0.0/99\" is not an address or a range of them, such as "
        + "192.0.2.7, 10.0.0.0/8 or 2001:db8::/32"),
    Mistake(
      "listeners:\n  max-per-address: -1\n",
      "c.yml:2: listeners.max-per-address: -1 is out of range; write a whole number from 0 to "
        + "1000000"),
    Mistake(
      "server:\n  threads: 1\nserver:\n  threads: 2\n",
      "c.yml:1: server: is written more than once (here first); keep one"),
    Mistake(
      "server:\n\tthreads: 1\n",
      "c.yml:2: is not YAML: found character that cannot start any token; "
        + "indent with blanks, not tabs, and quote what begins with @, ` or %"),
    Mistake(
      "server: {listen: \":8000x\"}\n",
      "c.yml:1: server.listen: \":8000x\" is not an address; write HOST:PORT, such as 0.0.0.0:8000 or "
        + "\"[::]:8000\""),
    Mistake(
      "server: {listen: \"[::]\"}\n",
      "c.yml:1: server.listen: \"[::]\" has no port; write \"[::]:8000\""),
    Mistake(
      "server:\n  threads: -1\nlisteners:\n  brust: 4s\nadmin:\n  token: x\n",
      "c.yml:2: server.threads: -1 is out of range; write a whole number from 0 to 1024",
      "c.yml:4: listeners.brust: unknown key; did you mean burst?",
      "c.yml:6: admin.token: must be 8 to 256 printable ASCII characters without blanks, "
        + "or \"\" for none"),
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
      "upstream:\n  user-agent: [a, b]\n",
      "c.yml:2: upstream.user-agent: has a list; write a text"),
    Mistake(
      "upstream:\n  request-headers: [\"No colon\"]\n",
      "c.yml:2: upstream.request-headers: a line does not begin with the name of a header; write a header "
        + "such as \"Referer: https://example.org/\""),
    Mistake(
      "upstream:\n  request-headers: [\"Host: x\"]\n",
      "c.yml:2: upstream.request-headers: Host is set by the relay itself; leave it out"),
    Mistake(
      "upstream:\n  proxy: proxy:3128\n",
      "c.yml:2: upstream.proxy: is not a proxy such as http://proxy:3128 or "
        + "socks5h://127.0.0.1:1080"),
  ]

  @Test func `addresses that do not meet stand beside each other`() throws {
    let listen =
      "0.0.0.0:8000, \"[::]:8000\", 127.0.0.1:8001, 127.0.0.2:8001, 127.0.0.1:0, 127.0.0.1:0"
    let configuration = try Configuration.parse(
      yaml: "server: {listen: [\(listen)]}", file: "c.yml")
    #expect(configuration.server.listen.count == 6)
    let twice = #expect(throws: RelayError.self) {
      try RelayOptions(data: nil, listen: ["0.0.0.0:8000", "localhost:8000"], interface: .http)
    }
    #expect(
      twice?.description
        == "--listen: 127.0.0.1:8000 is in 0.0.0.0:8000 already; write one of them")
  }

  @Test(arguments: mistakes + stationMistakes)
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
}
