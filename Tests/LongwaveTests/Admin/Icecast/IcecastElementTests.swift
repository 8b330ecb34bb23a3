import TestSupport
import Testing
import Wire

@testable import Longwave
@testable import LongwaveAdmin

extension IcecastMachine {
  /// A machine on which nothing is there that the configuration names.
  static let forTests = IcecastMachine(
    lines: { _ in nil }, isCertificate: { _ in false }, newPassword: { "made-for-the-test" })
}

/// Every element of Icecast 2.4's documentation is taken over or named.
@Suite struct IcecastElementTests {
  /// An element, a value, and what the result says of it: the words, else the path with the value.
  struct Element: CustomTestStringConvertible, Sendable {
    let path: String
    let value: String
    let words: String?

    init(_ path: String, _ value: String, _ words: String? = nil) {
      (self.path, self.value, self.words) = (path, value, words)
    }

    var testDescription: String { path }
    var shown: String { words ?? "\(path): \(value): " }
  }

  /// The elements of the documentation (config-file.html of 2.4.4, and its three example files), in its order.
  static let all: [Element] = [
    .init("limits/clients", "4321", "max-listeners: 4321"), .init("limits/sources", "4321"),
    .init("limits/queue-size", "4321"), .init("limits/client-timeout", "43"),
    .init("limits/header-timeout", "43"), .init("limits/source-timeout", "43", "data-timeout: 43s"),
    .init("limits/burst-on-connect", "1"), .init("limits/burst-on-connect", "0", "burst: 0s"),
    .init("limits/burst-size", "160000", "burst: 10s"),
    .init("authentication/source-password", "unused-one"),
    .init("authentication/relay-user", "slave"),
    .init("authentication/relay-password", "of-slaves"),
    .init("authentication/admin-user", "chief"),
    .init("authentication/admin-password", "of-the-chief", "token: of-the-chief"),
    .init("directory/yp-url", "http://dir.example/"), .init("directory/yp-url-timeout", "43"),
    .init("hostname", "radio.example", "public-url: http://radio.example:8000"),
    .init("hostname", "localhost"), .init("location", "Earth"), .init("admin", "me@example"),
    .init("fileserve", "1"), .init("server-id", "Ours 1"),
    .init("listen-socket/port", "8432", "0.0.0.0:8432"),
    .init("listen-socket/bind-address", "192.0.2.7", "192.0.2.7:8000"),
    .init("listen-socket/ssl", "1", "Port 8000 spoke TLS"), .init("listen-socket/ssl", "0"),
    .init("listen-socket/shoutcast-mount", "/cast.mp3", "mounts:\n      - /cast.mp3\n"),
    .init(
      "listen-socket/shoutcast-compat", "1",
      "listen: [\"0.0.0.0:7999\"]\n  shoutcast-listen: [\"0.0.0.0:8000\"]"),
    .init("listen-socket/shoutcast-compat", "0"), .init("shoutcast-mount", "/cast.nsv"),
    .init("master-server", "master.example"), .init("master-server-port", "8432"),
    .init("master-update-interval", "43"), .init("master-username", "slave"),
    .init("master-password", "of-the-master"), .init("relays-on-demand", "1"),
    .init("relay/server", "up.example", "http://up.example:8000/up.mp3"),
    .init("relay/port", "8432", "http://far.example:8432/up.mp3"),
    .init("relay/mount", "/else.mp3", "http://far.example:8000/else.mp3"),
    .init("relay/local-mount", "/Local.mp3", "mounts:\n      - /Local.mp3\n"),
    .init("relay/username", "me", "http://me:@far.example:8000/up.mp3"),
    .init("relay/password", "unused"), .init("relay/on-demand", "1", "on-demand: true"),
    .init("relay/relay-shoutcast-metadata", "1"),
    .init("mount/username", "dj"),
    .init("mount/password", "of-the-dj", "source-password: of-the-dj"),
    .init("mount/max-listeners", "43", "max-listeners: 43"),
    .init("mount/max-listeners", "-1"),
    .init("mount/max-listener-duration", "43", "max-listening-time: 43"),
    .init("mount/dump-file", "/dumps/this.mp3", "name: this"),
    .init("mount/intro", "/intro.mp3"),
    .init("mount/fallback-mount", "/other.mp3", "fallback-mount /other.mp3: "),
    .init("mount/fallback-override", "1"), .init("mount/fallback-when-full", "1"),
    .init("mount/no-yp", "1"), .init("mount/charset", "ISO8859-2", "metadata-encoding: iso8859-2"),
    .init("mount/public", "1", "public: true"), .init("mount/public", "-1"),
    .init("mount/stream-name", "Ours", "name: Ours"),
    .init("mount/stream-description", "All of it", "description: All of it"),
    .init("mount/stream-url", "http://ours.example/", "homepage: http://ours.example/"),
    .init("mount/genre", "Polka", "genre: Polka"), .init("mount/bitrate", "43"),
    .init("mount/type", "audio/mpeg", "type: mp3"), .init("mount/type", "video/webm"),
    .init("mount/subtype", "vorbis"), .init("mount/burst-size", "160000", "burst: 10s"),
    .init("mount/queue-size", "4321"),
    .init("mount/mp3-metadata-interval", "4321", "metaint: 4321"),
    .init("mount/hidden", "1", "listed: false"), .init("mount/no-mount", "1"),
    .init("mount/on-connect", "/bin/on"), .init("mount/on-disconnect", "/bin/off"),
    .init("paths/basedir", "/base"), .init("paths/logdir", "/logs"),
    .init("paths/pidfile", "/run/pid"), .init("paths/webroot", "/web"),
    .init("paths/adminroot", "/admin"), .init("paths/allow-ip", "/allow"),
    .init("paths/deny-ip", "/deny"), .init("paths/ssl-certificate", "/c.pem"),
    .init("paths/ssl-allowed-ciphers", "ECDH"),
    .init("logging/accesslog", "our-access.log", "# access: /var/log/longwave/our-access.log"),
    .init("logging/errorlog", "our-error.log"),
    .init("logging/playlistlog", "our-list.log", "# playlist: /var/log/longwave/our-list.log"),
    .init("logging/logsize", "4321"), .init("logging/logarchive", "1"),
    .init("logging/loglevel", "4"), .init("security/chroot", "1"),
    .init("security/changeowner/user", "us"), .init("security/changeowner/group", "ours"),
  ]

  /// What must stand beside an element, so that it counts.
  private static let beside = [
    "listen-socket": ["port": "8000"], "relay": ["server": "far.example", "mount": "/up.mp3"],
    "mount": ["mount-name": "/m.mp3"],
  ]

  /// Returns a configuration that has this element.
  private func xml(_ path: String, _ value: String, mount: String = "<mount>") -> String {
    let parts = path.split(separator: "/").map(String.init)
    let others = (parts.count > 1 ? Self.beside[parts[0]] : nil) ?? [:]
    var text = "<\(parts.last!)>\(value)</\(parts.last!)>"
    for (name, value) in others.sorted(by: { $0.key < $1.key }) where name != parts.last {
      text += "<\(name)>\(value)</\(name)>"
    }
    for name in parts.dropLast().reversed() {
      text = (name == "mount" ? mount : "<\(name)>") + text + "</\(name)>"
    }
    return "<icecast>\n\(text)\n</icecast>"
  }

  private func made(_ xml: String) throws -> String {
    let text = try IcecastImport(Array(xml.utf8), file: "icecast.xml", on: .forTests).text
    do {
      _ = try Configuration.parse(yaml: text, file: "made.yml")
    } catch {
      Issue.record("\(error)\n\(text)")
    }
    return text
  }

  @Test(arguments: Self.all)
  func `an element of Icecast's is taken over, or named with its value`(element: Element) throws {
    let text = try made(xml(element.path, element.value))
    #expect(text.contains(element.shown), "\(element.shown) in \(text)")
  }

  @Test(arguments: Self.all)
  func `an element with a senseless value is named with it`(element: Element) throws {
    let text = try made(xml(element.path, "43 odd \u{FC}"))
    #expect(Self.has(text, "43 odd \u{FC}"), "\(text)")
  }

  @Test(arguments: Self.all.filter { $0.path.hasPrefix("mount/") })
  func `an element of a default mount is named where no mount takes it`(element: Element) throws {
    let text = try made(
      xml(element.path, element.value, mount: "<mount type=\"default\">")
        .replacing("<mount-name>/m.mp3</mount-name>", with: ""))
    #expect(text.contains("Line 2, \(element.path): \(element.value): "), "\(text)")
  }

  @Test(arguments: Self.all)
  func `an element that stands twice is named once more`(element: Element) throws {
    let doubled = xml(element.path, "43 odd \u{FC}").replacing(
      "<\(element.path.split(separator: "/").last!)>43 odd \u{FC}",
      with: "<\(element.path.split(separator: "/").last!)>first of two"
        + "</\(element.path.split(separator: "/").last!)><\(element.path.split(separator: "/").last!)>43 odd \u{FC}"
    )
    let text = try made(doubled)
    #expect(Self.has(text, "first of two") && Self.has(text, "43 odd \u{FC}"), "\(text)")
  }

  /// Whether a text has a value, as it is or as a URL has it.
  private static func has(_ text: String, _ value: String) -> Bool {
    text.contains(value) || text.contains("%20odd%20%C3%BC") && value.hasSuffix("odd \u{FC}")
  }

  @Test func `an element that is not taken over has advice of its own`() {
    for element in Self.all where element.words == nil {
      let advice = IcecastAdvice.advice(on: element.path)
      #expect(!advice.hasPrefix("Icecast 2.4 has no such"), "\(element.path)")
    }
  }

  @Test(arguments: [
    ("<surprise>yes</surprise>", "Line 2, surprise: yes: Icecast 2.4 has no such setting"),
    ("<surprise/>", "Line 2, surprise: (empty): "),
    ("<limits><surprise>yes</surprise></limits>", "Line 2, limits/surprise: yes: "),
    ("<a><b><c d=\"e\">f</c></b></a>", "Line 2, a/b/c: f d=\"e\": "),
    ("<limits odd=\"yes\"/>", "Line 2, limits: odd=\"yes\": "),
    ("<limits>stray words</limits>", "Line 2, limits: stray words: "),
    ("<mount type=\"odd\"><mount-name>/m</mount-name></mount>", "Line 2, mount: type=\"odd\": "),
    ("<mount><genre>Lost</genre></mount>", "Line 2, mount/genre: Lost: "),
    (
      "<http-headers><header name=\"X-A\" value=\"b\" status=\"404\"/></http-headers>",
      "Line 2, http-headers/header: name=\"X-A\" status=\"404\" value=\"b\": answers have"
    ),
    (
      "<mount><mount-name>/m</mount-name><http-headers><header name=\"X-A\" value=\"b\"/></http-headers></mount>",
      "Line 2, mount/http-headers/header: name=\"X-A\" value=\"b\": answers have"
    ),
    (
      "<paths><alias source=\"/\" destination=\"/status.xsl\"/></paths>",
      "Line 2, paths/alias: destination=\"/status.xsl\" source=\"/\": write mounts:"
    ),
    (
      "<mount><mount-name>/m</mount-name></mount><paths><alias source=\"/n\" dest=\"/m\" port=\"1\"/></paths>",
      "Line 2, paths/alias: dest=\"/m\" port=\"1\" source=\"/n\": "
    ),
    (
      "<mount><mount-name>/m</mount-name><authentication type=\"url\"><option name=\"listener_add\" value=\"http://a/\"/><option name=\"odd\" value=\"v\"/></authentication></mount>",
      "<authentication> odd v: is not known here"
    ),
    (
      "<relay><server>a b</server><mount>/lost.mp3</mount></relay>",
      "Line 2, relay/mount: /lost.mp3: "
    ),
  ])
  func `an unknown element, attribute or text is named with its line`(xml: String, words: String)
    throws
  {
    let text = try made("<icecast>\n\(xml)\n</icecast>")
    #expect(text.contains(words), "\(words) in \(text)")
  }

  /// Every value of a configuration, texts and attributes, that cannot stand in a text by chance.
  private func values(_ node: XMLNode) -> [String] {
    ([node.text] + node.attributes.values).filter { $0.count > 2 } + node.children.flatMap(values)
  }

  /// What is said in another way: minutes for seconds, seconds for bytes, a type for a media type.
  private static let otherwise = [
    "163": "data-timeout: 2m43s", "237": "data-timeout: 3m57s",
    "43200": "max-listening-time: 12h", "65536": "burst: 4s", "audio/mpeg": "type: mp3",
    "UTF-8": "metadata-encoding: utf-8", "ISO8859-1": "metadata-encoding: iso8859-1",
    // Kinds of mounts and names of options, whose settings stand there; the header is what is looked for anyway.
    "default": "genre: Funk", "normal": "- /Jazz_128.mp3", "listener_add": "listener-add: http",
    "listener_remove": "listener-remove: http", "auth_header": "listener-add: http",
    "icecast-auth-user: 1": "listener-add: http",
  ]

  @Test func `a whole configuration of Icecast's loses no value`() throws {
    var lost: Set<String> = []
    for name in ["small", "broadcaster", "shoutcast"] {
      let bytes = try readFile("\(Repository.root)/Tests/Icecast/\(name).xml")
      let text = try made(String(decoding: bytes, as: UTF8.self))
      for value in values(try #require(XMLNode(bytes))) where !text.contains(value) {
        lost.insert(value)
        let words = Self.otherwise[value]
        #expect(words.map { text.contains($0) } == true, "\(value) in \(text)")
      }
    }
    for value in Self.otherwise.keys where !lost.contains(value) {
      Issue.record("\(value) stands there as it is by now: take the entry out")
    }
  }
}
