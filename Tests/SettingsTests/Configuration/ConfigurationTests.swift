import Foundation
import Ingest
import Reactor
import Server
import Testing
import Timeshift
import Wire

@testable import Settings

@Suite struct ConfigurationTests {
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

  @Test func `a configuration file that is not there is told in one line`() {
    do throws(ConfigurationError) {
      _ = try Configuration.load(file: "/nowhere/c.yml", environment: [:])
      Issue.record("a file that is not there was read")
    } catch {
      #expect(error.description == "/nowhere/c.yml: no such file; write where it is")
    }
  }
}
