import Foundation
import Reactor
import TestSupport

/// The servers that the relay under attack pulls from, and its configuration: stations of every kind.
final class Setup: Sendable {
  static let token = "attack-token"
  static let sourcePassword = "push-it-now"
  /// source:push-it-now
  static let sourceCredentials = "c291cmNlOnB1c2gtaXQtbm93"
  /// What others listen to meanwhile: nothing is ever done to it.
  static let steady = "steady"
  /// Of those whose upstream is hostile.
  static let hostileCount = 12
  /// Stations whose upstreams send a head and no whole packet: what they said is all that is known of them.
  static let muteCount = 12
  /// Whoever asks to listen to it waits until nobody has answered.
  static let waiting = "waiting"
  static let authStations = ["asked", "asked-files"]
  /// Of those whose every listener has a long way to go: only sieges go there.
  static let crowd = "crowd"
  static let loud = "loud"
  /// On demand, each to be woken by nobody but a siege.
  static let sleepers = 60
  static let sleeperPath = "/asleep"
  /// Who may listen to what only sieges go to.
  static let vaultUsers = (0..<200).map { "user\($0)" }

  let folder = TemporaryDirectory()
  /// Numbered frames in real time.
  let healthy: FakeUpstream
  private let aac: FakeUpstream
  private let ogg: FakeUpstream
  /// Answers as it is told.
  let hostile: FakeUpstream
  let port: Int
  let shoutcastPort: Int
  private let certificate: TestCertificate

  init() async throws {
    let titles = (0..<400).map {
      FakeProgramme.TitleChange(packet: $0 * 500, "Artist - Title \($0)")
    }
    healthy = try FakeUpstream(.numbered(before: 60, titles: titles))
    var stream = FakeStream(burst: 2)
    stream.metaint = 16_000
    healthy.reply("/live", with: .icy(stream))
    healthy.reply(Self.sleeperPath, with: .icy(stream))
    healthy.reply(
      "/p",
      with: .playlist("[playlist]\nFile1=\(healthy.url("/live"))\nFile2=\(healthy.url("/live"))\n"))
    let packets = ADTSFrames.split(
      try Fixtures.ffmpeg(["-c:a", "aac", "-b:a", "64k"], format: "adts", seconds: 4)
    ).frames
    aac = try FakeUpstream(
      FakeProgramme(samples: 1024, before: 20) { packets[$0 % packets.count] })
    aac.reply("/live", with: .stream(FakeStream(burst: 2), mediaType: "audio/aac"))
    let programme = try FakeOgg(.opus, seconds: 10)
    ogg = try FakeUpstream(programme.programme(before: 20))
    ogg.reply("/live", with: .stream(programme.stream(burst: 2), mediaType: "application/ogg"))
    hostile = try FakeUpstream(.numbered(before: 60))
    hostile.reply("/page", with: .file(Array("A - B\n".utf8), mediaType: "text/plain"))
    hostile.reply("/slow", with: .silence)
    // Two seconds, so that it is known what silence has to sound like.
    let head = Array("HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n".utf8)
    hostile.reply("/brief", with: .raw(head + NumberedFrames.stream(0..<80)))
    for number in 0..<Self.hostileCount { hostile.reply("/u\(number)", with: .hangUp) }
    for number in 0..<Self.muteCount { hostile.reply("/m\(number)", with: .hangUp) }
    hostile.reply("/loud", with: .raw(Self.loudStream))
    (port, shoutcastPort) = (Int(freePort()), Int(freePort()))
    certificate = try await TestCertificate()
    write()
  }

  func stop() { for server in [healthy, aac, ogg, hostile] { server.stop() } }

  // MARK: The configuration

  var configurationPath: String { folder.path + "/longwave.yml" }

  private func write() {
    let path = folder.path
    try? FileManager.default.createDirectory(
      atPath: path + "/shows/2026", withIntermediateDirectories: true)
    let show = NumberedFrames.stream(0..<2000)
    folder.write("shows/show.mp3", show)
    folder.write("shows/2026/b c.mp3", show)
    folder.write("shows/one.ogg", (try? Fixtures.ogg(.opus)) ?? [])
    // opensesame, with the fewest rounds of bcrypt, and with as many as people take.
    folder.write(
      "listeners",
      Array("listener:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n".utf8))
    let hash = "$2y$10$kJsBF8O03cty4souP0KWLO1rnPIyk3tLdao.JGZvn8gKSMut6uGYC"
    let vault = Self.vaultUsers.map { "\($0):\(hash)\n" }.joined()
    folder.write("vault", Array(vault.utf8))
    writeCrowd()
    folder.write("longwave.yml", Array(yaml.utf8))
  }

  /// A folder of many files, whose names are as long as names may be and twice that in a list.
  private func writeCrowd() {
    try? FileManager.default.createDirectory(
      atPath: folder.path + "/crowd", withIntermediateDirectories: true)
    let frame = NumberedFrames.frame(0)
    for number in 0..<Self.crowdFiles { folder.write("crowd/\(Self.crowdName(number))", frame) }
  }

  private static let crowdFiles = 10_000

  /// 255 bytes.
  private static func crowdName(_ number: Int) -> String {
    let start = "\(number) "
    return start + String(repeating: "&", count: 251 - start.utf8.count) + ".mp3"
  }

  /// One of them, in a path.
  static let crowdFile = crowdName(17).replacing(" ", with: "%20").replacing("&", with: "%26")

  /// As many long titles as a history holds, no two alike, in 26 s of audio.
  private static let loudStream: [UInt8] = {
    let metaint = 400
    let head = "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nicy-metaint: \(metaint)\r\n\r\n"
    let audio = NumberedFrames.stream(0..<1000)
    let marks = String(repeating: "\"&<", count: 1200)
    return (0..<audio.count / metaint).reduce(into: Array(head.utf8)) { stream, number in
      stream += audio[number * metaint..<(number + 1) * metaint]
      stream += FakeStream.block(Array("StreamTitle='\(number) \(marks)';".utf8))
    }
  }()

  /// Every kind of station, and for each what it is that makes it one.
  static let stations: [(id: String, keys: String)] = [
    ("shows", "files: FOLDER/shows"), ("show", "files: FOLDER/shows/show.mp3"),
    ("late", "of: steady, delay: 2s"), ("aac", "upstream: AAC"), ("ogg", "upstream: OGG"),
    ("demand", "upstream: LIVE, on-demand: true, run-on: 1s"),
    ("memory", "upstream: LIVE, window: 0, mounts: [/Live.MP3]"),
    ("push", "upstream: [\"push:\"], source-password: push-it-now"),
    ("silent", "upstream: HOSTILE/brief, fallback: silence, fallback-after: 1s"),
    ("filled", "upstream: HOSTILE/none, fallback: \"station:steady\", fallback-after: 1s"),
    ("listed", "upstream: [LIST, LIVE]"),
    ("secret", "upstream: LIVE, auth: {tokens: [kitchen-radio-1]}"),
    ("guarded", "upstream: LIVE, auth: {htpasswd: FOLDER/listeners}"),
    ("asked", "upstream: LIVE, auth: {listener-add: HOSTILE/auth, listener-remove: HOSTILE/gone}"),
    ("asked-files", "files: FOLDER/shows/show.mp3, auth: {listener-add: HOSTILE/auth}"),
    (waiting, "upstream: LIVE, auth: {listener-add: HOSTILE/slow}"),
    ("told", "upstream: LIVE, metadata: {url: HOSTILE/page, kind: text, interval: 1s}"),
    (
      "recorded",
      "upstream: LIVE, record: [{from: \"00:00\", to: \"23:59\", split: true, keep-count: 2, max-size: 2MB}]"
    ),
  ]

  /// Kinds of pages, for the hostile upstreams in turn.
  static let pageKinds = ["auto", "audiovault", "live365", "icecast", "shoutcast", "json"]

  var stationNames: Set<String> { Set(allStations.map(\.id)) }

  private var allStations: [(id: String, keys: String)] {
    let steady = [(id: Self.steady, keys: "upstream: LIVE")]
    let hostiles = (0..<Self.hostileCount).map { number in
      let kind = Self.pageKinds[number % Self.pageKinds.count]
      let paths = kind == "json" ? ", title: title" : ""
      return (
        id: "u\(number)",
        keys:
          "upstream: HOSTILE/u\(number), metadata: {url: HOSTILE/p\(number), kind: \(kind)\(paths), interval: 1s}"
      )
    }
    let mute = (0..<Self.muteCount).map { (id: "m\($0)", keys: "upstream: HOSTILE/m\($0)") }
    let besieged =
      [
        (id: Self.crowd, keys: "files: FOLDER/crowd"),
        (id: Self.loud, keys: "upstream: HOSTILE/loud"),
        (id: "vaulted", keys: "upstream: LIVE, auth: {htpasswd: FOLDER/vault}"),
      ]
      + (0..<Self.sleepers).map { number in
        (id: "s\(number)", keys: "upstream: SLEEPER, on-demand: true, run-on: 30s")
      }
    return steady + Self.stations + hostiles + mute + besieged
  }

  private var yaml: String {
    let lines = allStations.map { "  - {id: \($0.id), \($0.keys)}" }
    let text = """
      server:
        listen: ["127.0.0.1:\(port)"]
        shoutcast-listen: ["127.0.0.1:\(shoutcastPort)"]
        threads: 2
        trusted-proxies: [127.7.0.0/16]
        tls: {certificate: \(certificate.certificate), key: \(certificate.key)}
      timeshift: {window: 10m, disk-limit: 300MB}
      recordings: {disk-limit: 100MB, keep: 1m}
      log: {access: FOLDER/access.log, playlist: FOLDER/playlist.log}
      admin: {token: \(Self.token)}
      stations:
      \(lines.joined(separator: "\n"))

      """
    return fill(text)
  }

  /// With the addresses of the servers, in quotes.
  private func fill(_ text: String) -> String {
    let all = [
      ("LIVE", healthy.url("/live")), ("SLEEPER", healthy.url(Self.sleeperPath)),
      ("LIST", healthy.url("/p")), ("AAC", aac.url("/live")),
      ("OGG", ogg.url("/live")), ("FOLDER", folder.path),
    ]
    let filled = all.reduce(text) { text, word in
      text.replacing(word.0, with: word.0 == "FOLDER" ? word.1 : "\"\(word.1)\"")
    }
    return filled.replacing(try! Regex("HOSTILE(/[a-z0-9]+)")) { match in
      "\"\(hostile.url(String(match.output[1].substring ?? "")))\""
    }
  }

  /// What requests have to know.
  var names: RequestPlan.Names {
    RequestPlan.Names(
      stations: Self.stations.map(\.id).filter { $0 != Self.waiting } + ["victim", "unknown"],
      token: Self.token,
      examples: [
        "upstream": [healthy.url("/p"), "push:"],
        "file": ["show.mp3", "2026/b%20c.mp3", "one.ogg"],
        "files": [folder.path + "/shows"], "folder": [folder.path],
      ])
  }

  /// What is made over the API, so that it may be changed and removed.
  var madeStation: [UInt8] {
    Array(#"{"id":"victim","upstream":["\#(healthy.url("/live"))"],"window":"1m"}"#.utf8)
  }
}
