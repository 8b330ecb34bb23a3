import Foundation
import Longwave
import Reactor
import TestSupport
import Testing
import Wire

@testable import LongwaveAdmin

/// The result of an import, beside Icecast itself: both get the same sources and relay the same upstream, and answer what
/// monitors, feeders and players ask.
@Suite(.serialized) struct IcecastBesideTests {
  /// What is otherwise, and why. An entry that no fixture shows any more is a fault, too.
  static let differences: [String: String] = [
    "status-json: server_id": "the server says what it is",
    "status-json: admin": "they are there and empty: Longwave has neither",
    "status-json: location": "they are there and empty: Longwave has neither",
    "status-json: CORS": "every answer may be read by pages of other sites",
    "xspf: location":
      "a mount that is hidden there has a playlist: what is not listed is found by its name",
    "status-json source: genre": "what nobody has said is empty, not various",
    "stats source: genre": "what nobody has said is empty, not various",
    "status-json source: server_description":
      "what nobody has said is empty, not Unspecified description",
    "stats source: server_description":
      "what nobody has said is empty, not Unspecified description",
    "status-json source: server_name":
      "a station that nobody has named has its id, not Unspecified name",
    "stats source: server_name": "a station that nobody has named has its id, not Unspecified name",
    "status-json source: subtype": "the audio's own bytes say what it is",
    "stats source: subtype": "the audio's own bytes say what it is",
    "status-json source: title": "UTF-8 is read as UTF-8; Icecast needs charset for it",
    "stats source: title": "UTF-8 is read as UTF-8; Icecast needs charset for it",
    "stats source: source_ip": "the log says who pushes",
    "stats source: user_agent": "the log says who pushes",
    "stats source: slow_listeners": "/metrics has the listeners' lag and what was sent",
    "stats source: total_bytes_sent": "/metrics has the listeners' lag and what was sent",
    "stats: file_connections": "connections are not counted by what they ask for",
    "stats: stats_connections": "connections are not counted by what they ask for",
    "stats: stats": "connections are not counted by what they ask for",
    "stats: source_client_connections": "sources counts those that there are",
    "stats: source_relay_connections": "sources counts those that there are",
    "stats: source_total_connections": "sources counts those that there are",
    "head: icy-genre": "what the mount says goes before what its source says, as in the figures",
    "head: icy-pub": "what the mount says goes before what its source says, as in the figures",
    "head: icy-metaint": "16000 or mp3-metadata-interval; Icecast takes over a relay's upstream's",
    "m3u: lines": "the title of the station stands there too, as #EXTINF",
    "code: closed mount":
      "503 while the service that is asked about listeners does not answer; 401 or 403 when it has",
    "code: listclients of an unknown mount": "what is not there is 404, not 400",
    "code: metadata of an unknown mount": "what is not there is 404, not 400",
    "code: moveclients to an unknown mount": "what is not there is 404, not 400",
    "code: unknown admin page": "what is not there is 404, not 400",
    "code: metadata without a song": "400, not 200 with nothing done",
    "code: 7.xsl": "there as in older versions and icecast-kh",
    "streamlist: status": "the admin token opens it, as there is no relay-password",
    "streamlist: mounts": "the admin token opens it, as there is no relay-password",
  ]

  /// A configuration of Icecast, and the sources that push to it.
  struct Setting: Sendable, CustomTestStringConvertible {
    let file: String
    let sources: [(mount: String, user: String, password: String)]
    /// Mounts of relays.
    let relays: [String]
    let admin: String
    /// What a listener needs of a closed mount: none here may listen.
    var closed: [String] = []

    var testDescription: String { file }
    var mounts: [String] { sources.map(\.mount) + relays }
  }

  static let settings = [
    Setting(
      file: "small", sources: [("/stream.mp3", "source", "s0urce-of-ours")],
      relays: ["/Relayed.mp3"], admin: "admin:adm1n-of-ours"),
    Setting(
      file: "broadcaster",
      sources: [
        ("/Jazz_128.mp3", "jazzer", "only-for-jazz"), ("/Members.mp3", "source", "everyday-source"),
      ], relays: ["/Klassik_128.mp3"], admin: "chief:chief-password", closed: ["/Members.mp3"]),
    Setting(
      file: "shoutcast", sources: [("/live.mp3", "source", "dj-password")], relays: [],
      admin: "admin:admin-password"),
  ]

  @Test func `a relay answers as Icecast does, but for the differences that are listed`()
    async throws
  {
    var found: [String: String] = [:]
    for setting in Self.settings { found.merge(try await compare(setting)) { first, _ in first } }
    for (what, how) in found.sorted(by: { $0.key < $1.key }) where Self.differences[what] == nil {
      Issue.record("\(what): \(how)")
    }
    for what in Self.differences.keys.sorted() where found[what] == nil {
      Issue.record("\(what) is as at Icecast by now: take the entry out")
    }
  }

  @Test func `the manual names the differences from Icecast`() throws {
    let text = try Repository.text("Sources/Manual/icecast.md")
    for what in Self.differences.keys { #expect(text.contains("`\(what)`"), "\(what)") }
  }

  // MARK: Both servers

  private func compare(_ setting: Setting) async throws -> [String: String] {
    let upstream = try FakeUpstream(.numbered(before: 200))
    defer { upstream.stop() }
    var stream = FakeStream(burst: 6)
    stream.metaint = 4000
    upstream.reply("/up.mp3", with: .stream(stream))
    let certificate = try await TestCertificate()
    let data = TemporaryDirectory()
    let both = try [certificate.key, certificate.certificate].map {
      try String(contentsOfFile: $0, encoding: .utf8)
    }.joined()
    data.write("both.pem", Array(both.utf8))
    let xml = try Repository.text("Tests/Icecast/\(setting.file).xml")
      .replacing("<port>8080</port>", with: "<port>\(upstream.port)</port>")
      .replacing("/etc/icecast2/icecast.pem", with: data.path + "/both.pem")
      .replacing("/var/log/icecast2", with: "/tmp")
    let made = try IcecastImport(Array(Self.movingPorts(in: xml).utf8), file: setting.file).text
    // The server of the test is at another address than the public one.
    let config = made.split(separator: "\n").filter { !$0.hasPrefix("  public-url:") }
    data.write("longwave.yml", Array(config.joined(separator: "\n").utf8))
    let longwave = try await LongwaveProcess(
      ["serve", "--config", data.path + "/longwave.yml"], data: data.path + "/data")
    let theirs = Self.movingPorts(in: xml)
    let port = try #require(XMLNode(Array(theirs.utf8))?.child("listen-socket")?.value("port"))
    let icecast = try Icecast(xml: theirs, port: try #require(UInt16(port)))
    let address = SocketAddress.ipv4(0x7F00_0001, port: icecast.port)
    try await eventually("Icecast listens: \(icecast.log)") {
      (try? StreamClient(to: address, sending: "")) != nil
    }
    let encoders = try [icecast.port, longwave.address.port ?? 0].flatMap { port in
      try setting.sources.map { source in try Self.encoder(source, port: port) }
    }
    defer { for encoder in encoders { encoder.signal(SIGKILL) } }
    let pair = Pair(setting: setting, icecast: address, longwave: longwave.address)
    try await pair.untilAllPlay(icecast.log)
    return try await pair.differences()
  }

  /// Gives each socket a port that is free.
  private static func movingPorts(in xml: String) -> String {
    var xml = xml
    for port in ["8000", "8443"] where xml.contains("<port>\(port)</port>") {
      xml = xml.replacing("<port>\(port)</port>", with: "<port>\(freePort())</port>")
    }
    return xml
  }

  /// Pushes a tone as broadcasters do.
  private static func encoder(
    _ source: (mount: String, user: String, password: String), port: UInt16
  ) throws -> ChildProcess {
    try ChildProcess([
      "ffmpeg", "-loglevel", "error", "-re", "-f", "lavfi", "-i", "sine=f=300:r=44100", "-ac", "2",
      "-c:a", "libmp3lame", "-b:a", "128k", "-f", "mp3", "-content_type", "audio/mpeg",
      "-ice_name", "Pushed", "-ice_genre", "Tone", "-ice_public", "0",
      "icecast://\(source.user):\(source.password)@127.0.0.1:\(port)\(source.mount)",
    ])
  }
}
