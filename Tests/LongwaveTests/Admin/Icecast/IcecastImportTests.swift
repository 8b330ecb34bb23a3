import Ingest
import Reactor
import Server
import Testing
import Timeshift

@testable import Longwave
@testable import LongwaveAdmin

@Suite struct IcecastImportTests {
  private func yaml(_ xml: String) throws -> String {
    try IcecastImport(Array(xml.utf8), file: "icecast.xml", on: .forTests).text
  }

  private func configuration(_ xml: String) throws -> Configuration {
    let text = try yaml(xml)
    do {
      return try Configuration.parse(yaml: text, file: "made.yml")
    } catch {
      Issue.record("\(error)\n\(text)")
      throw error
    }
  }

  private let server = """
    <icecast>
      <!-- <hostname>commented.example</hostname> -->
      <limits><clients>500</clients><burst-size>65536</burst-size><source-timeout>20</source-timeout>
        <queue-size>524288</queue-size></limits>
      <authentication><source-password>hackme</source-password>
        <admin-user>admin</admin-user><admin-password>a good # one</admin-password></authentication>
      <hostname>radio.example.org</hostname>
      <listen-socket><port>8000</port></listen-socket>
      <listen-socket><port>8001</port><bind-address>::1</bind-address>
        <shoutcast-mount>/live.mp3</shoutcast-mount></listen-socket>
      <listen-socket><port>8443</port><ssl>1</ssl></listen-socket>
      <relay><server>far.example.org</server><port>80</port><mount>/jazz.ogg</mount>
        <local-mount>/Jazz.ogg</local-mount><on-demand>1</on-demand>
        <username>me</username><password>a/b</password></relay>
      <mount type="default"><public>0</public></mount>
      <mount type="normal"><mount-name>/live.mp3</mount-name><password>long-enough</password>
        <username>dj</username><max-listeners>50</max-listeners><burst-size>32768</burst-size>
        <max-listener-duration>3600</max-listener-duration><fallback-mount>/jazz.ogg</fallback-mount>
        <stream-name>Live: "now"</stream-name><genre>Talk</genre><public>1</public>
        <stream-url>http://live.example.org/</stream-url><charset>ISO8859-1</charset>
        <authentication type="htpasswd"/></mount>
      <mount><mount-name>/Jazz.ogg</mount-name><stream-name>All Jazz</stream-name></mount>
      <mount><mount-name>/stream</mount-name><fallback-mount>/live.mp3</fallback-mount></mount>
      <fileserve>1</fileserve>
      <paths><logdir>/var/log/icecast2</logdir><x-forwarded-for>127.0.0.1</x-forwarded-for>
        <deny-ip>/etc/icecast2/deny</deny-ip><alias source="/foo" destination="/live.mp3"/></paths>
      <logging><accesslog>access.log</accesslog><errorlog>error.log</errorlog></logging>
    </icecast>
    """

  @Test func `sockets, limits and addresses go on as they were`() throws {
    let made = try configuration(server)
    #expect(made.server.listen.map(\.description) == ["0.0.0.0:8000", "[::1]:8001"])
    #expect(made.server.publicURL == "http://radio.example.org:8000")
    #expect(made.server.listenersMax == 500)
    #expect(made.server.trustedProxies.map(\.description) == ["127.0.0.1/32"])
    #expect(made.listeners.burst.seconds == 4 && made.upstream.dataTimeout == 20)
    // An encoder of SHOUTcast's first protocol uses the port behind the one that it is told.
    #expect(made.server.shoutcastListen.map(\.description) == ["[::1]:8002"])
    // Icecast's has blanks: nobody administers over TCP.
    #expect(made.admin.token.isEmpty)
  }

  @Test func `a relay is a station with its upstream, at the path it had`() throws {
    let jazz = try #require(try configuration(server).stations.first { $0.id == "jazz" })
    var wanted = StationDefinition(
      id: "jazz", name: "All Jazz", upstream: ["http://me:a%2Fb@far.example.org:80/jazz.ogg"])
    wanted.mounts = ["/Jazz.ogg"]
    wanted.onDemand = true
    #expect(jazz == wanted)
  }

  @Test func `a mount is a station that sources push to, with its own password`() throws {
    let stations = try configuration(server).stations
    // Its password leads SHOUTcast's sources to it, so that it is the first.
    #expect(stations.map(\.id) == ["live", "jazz", "stream-radio"])
    let live = stations[0]
    #expect(live.upstream == ["push:"] && live.mounts == ["/live.mp3", "/foo"])
    #expect(live.sourcePassword == "long-enough" && live.listenersMax == 50 && live.burst == 2)
    #expect(live.listeningTimeMax == 3600 && live.isPublic && live.genre == "Talk")
    #expect(live.name == "Live: \"now\"" && live.homepage == "http://live.example.org/")
    // Icecast's own password is too short for ours.
    #expect(live.fallback == nil && stations[2].fallback == .station("live"))
    #expect(stations[2].sourcePassword == "made-for-the-test" && stations[2].mounts == ["/stream"])
  }

  @Test func `settings without a counterpart are told in comments`() throws {
    let text = try yaml(server)
    for words in [
      "# Port 8443 spoke TLS", "# SHOUTcast sources of [::1]:8002 went to /live.mp3",
      "# Line 4, limits/queue-size: 524288: a listener who is slow keeps its place",
      "# Line 26, paths/deny-ip: /etc/icecast2/deny: the file cannot be read here; write its lines",
      "# access: /var/log/longwave/access.log", "# Line 24, fileserve: 1: files are served",
      "# Line 15, mount/public: 0: write public: true or false",
      "# fallback-mount /jazz.ogg: no mount of this file",
      "# <authentication> htpasswd: it names no file",
      "# <authentication>: everybody may listen now",
      "# Line 17, mount/username: dj: any user name is accepted",
      "# Icecast's password \"hackme\" is too",
      "# Icecast's admin-password \"a good # one\" is too short or has odd",
      "# Listeners come back from /live.mp3 by themselves",
    ] {
      #expect(text.contains(words), "\(words) in \(text)")
    }
  }

  @Test func `the admin password goes on for those who use it`() throws {
    let made = try configuration(
      "<icecast><authentication><admin-password>long-enough</admin-password></authentication></icecast>"
    )
    #expect(made.admin.token == "long-enough")
  }

  @Test func `a mount of type default gives what other mounts do not say`() throws {
    let made = try configuration(
      """
      <icecast><relay><server>a.example</server><mount>/r.mp3</mount></relay>
        <mount type="default"><genre>All</genre><max-listeners>7</max-listeners>
          <password>of-all-mounts</password><stream-name>Any</stream-name></mount>
        <mount><mount-name>/own.mp3</mount-name><genre>Own</genre></mount></icecast>
      """)
    let (relay, own) = (made.stations[0], made.stations[1])
    #expect(relay.genre == "All" && relay.listenersMax == 7 && relay.name == "Any")
    #expect(own.genre == "Own" && own.listenersMax == 7 && own.sourcePassword == "of-all-mounts")
  }

  @Test func `files of addresses and a certificate are taken over where they can be read`() throws {
    let xml = """
      <icecast><listen-socket><port>8443</port><ssl>1</ssl></listen-socket>
        <paths><allow-ip>/a</allow-ip><deny-ip>/d</deny-ip><ssl-certificate>/c.pem</ssl-certificate>
        </paths></icecast>
      """
    var machine = IcecastMachine.forTests
    machine.lines = {
      ["/a": ["192.0.2.0/24", " 2001:db8::1 "], "/d": ["192.0.2.7", "host.x"]][$0]
    }
    machine.isCertificate = { $0 == "/c.pem" }
    let text = try IcecastImport(Array(xml.utf8), file: "icecast.xml", on: machine).text
    for words in [
      "allow: [\"192.0.2.0/24\", \"2001:db8::1\"]", "deny: [\"192.0.2.7\"]",
      "# \"host.x\" of /d is no address; write it into deny: as one.",
      "tls: {certificate: /c.pem, key: /c.pem}", "listen: [\"0.0.0.0:8443\"]",
    ] {
      #expect(text.contains(words), "\(words) in \(text)")
    }
  }

  @Test func `an alias is a path of its station, and not its name`() throws {
    let made = try configuration(
      """
      <icecast><mount><mount-name>/jazz</mount-name></mount><paths>
        <alias source="/a.mp3" destination="/jazz"/><alias source="/b" dest="/jazz"/></paths></icecast>
      """)
    #expect(made.stations[0].mounts == ["/jazz", "/a.mp3", "/b"])
  }

  @Test func `a mount with a dump file is recorded`() throws {
    let made = try configuration(
      """
      <icecast><mount><mount-name>/jazz</mount-name><dump-file>/var/dumps/jazz-%F.mp3</dump-file>
      </mount></icecast>
      """)
    var rule = RecordingRule(from: 0, to: 0)
    (rule.name, rule.appends) = ("jazz-%F", true)
    #expect(made.stations[0].record == [rule])
  }

  /// What becomes of an authentication: the settings and the comments.
  private func auth(_ xml: String) throws -> (settings: AuthSettings?, text: String) {
    let mount = "<icecast><mount><mount-name>/live</mount-name>\(xml)</mount></icecast>"
    return (try configuration(mount).stations.first?.auth, try yaml(mount))
  }

  @Test func `listeners with passwords go on with the same file`() throws {
    let (settings, text) = try auth(
      """
      <authentication type="htpasswd"><option name="filename" value="/etc/icecast2/users"/>
        <option name="allow_duplicate_users" value="0"/></authentication>
      """)
    var wanted = AuthSettings()
    wanted.passwordFile = "/etc/icecast2/users"
    #expect(settings == wanted)
    #expect(
      text.contains("# <authentication> /etc/icecast2/users: its passwords must be made anew"))
    #expect(text.contains("# <authentication> allow_duplicate_users 0: a user may listen several"))
  }

  @Test func `a service that is asked about listeners is asked here, with its password`() throws {
    let (settings, text) = try auth(
      """
      <authentication type="url">
        <option name="listener_add" value="https://auth.example.org/a?x=1&amp;y=2"/>
        <option name="listener_remove" value="http://u:p@auth.example.org/r"/>
        <option name="username" value="me"/><option name="password" value="a/b"/>
        <option name="auth_header" value="icecast-auth-user: 1"/>
        <option name="timelimit_header" value="x-limit:"/>
        <option name="mount_add" value="http://auth.example.org/m"/><option name="headers" value=""/>
      </authentication>
      """)
    var wanted = AuthSettings()
    wanted.addURL = "https://me:a%2Fb@auth.example.org/a?x=1&y=2"
    wanted.removeURL = "http://u:p@auth.example.org/r"
    #expect(settings == wanted)
    let notes = text.split(separator: "\n").filter { $0.contains("<authentication>") }
    #expect(
      notes == [
        "  # <authentication> timelimit_header x-limit:: the service must answer "
          + "icecast-auth-timelimit: SECONDS.",
        "  # <authentication> mount_add http://auth.example.org/m: see the events.",
      ])
  }

  @Test func `the roles of Icecast 2_5 are looked into`() throws {
    let (settings, text) = try auth(
      """
      <authentication><role type="htpasswd"><option name="filename" value="u"/></role>
        <role type="url"><option name="listener_add" value="http://a/"/>
          <option name="auth_header" value="x-auth: ok"/></role>
        <role type="anonymous" deny-all="*"/></authentication>
      """)
    #expect(settings?.passwordFile == "u" && settings?.addURL == "http://a/")
    #expect(text.contains("auth_header x-auth: ok: the service must answer icecast-auth-user: 1."))
    #expect(text.contains("# <authentication> type anonymous: has no counterpart."))
  }

  @Test(arguments: [
    "<authentication/>", "<authentication type=\"command\"/>",
    "<authentication type=\"url\"><option name=\"listener_add\" value=\"ftp://x/\"/></authentication>",
    "<authentication type=\"url\"><option name=\"listener_remove\" value=\"http://x/\"/></authentication>",
    "<authentication type=\"url\"><option name=\"stream_auth\" value=\"http://x/\"/></authentication>",
    "<authentication type=\"htpasswd\"><option value=\"x\"/><option name=\"a\nb: c\"/></authentication>",
  ])
  func `a mount that was closed and is open now is told`(xml: String) throws {
    let (settings, text) = try auth(xml)
    #expect(settings == nil && text.contains("# <authentication>: everybody may listen now"))
  }

  @Test(arguments: [
    "<icecast/>", "<icecast><port>8000</port></icecast>",
    "<icecast><relay><server/></relay><relay><server>a b</server></relay></icecast>",
    "<icecast><hostname>a\nb: c</hostname><listen-socket><port>x</port></listen-socket></icecast>",
    "<icecast><mount><mount-name>/a b</mount-name></mount><mount><mount-name>/a%20b</mount-name></mount></icecast>",
    "<icecast><relay><upstream><uri>https://x.example/a</uri></upstream><local-mount>/api</local-mount></relay></icecast>",
    "<icecast><mount><mount-name>/x</mount-name><stream-name>a\u{1}\nstations: []</stream-name></mount></icecast>",
    "<icecast><listen-socket><port>8000</port><bind-address>no.name</bind-address></listen-socket></icecast>",
  ])
  func `an odd file of Icecast's becomes a valid configuration`(xml: String) throws {
    _ = try configuration(xml)
  }

  @Test(arguments: ["", "<html></html>", "stations: []", "<!-- <icecast>"])
  func `a file that is not Icecast's is refused`(text: String) {
    let error = #expect(throws: ConfigurationError.self) { try yaml(text) }
    #expect(
      error?.description == "icecast.xml: is no configuration of Icecast: <icecast> is missing; "
        + "name its icecast.xml")
  }

  @Test func `a file that is cut anywhere is refused, with the line where it ends`() throws {
    let whole = try #require(server.firstRange(of: "</icecast>")?.upperBound)
    let begun = try #require(server.firstRange(of: "<icecast>")?.upperBound)
    for end in server.indices where end >= begun && end < whole {
      let error = #expect(throws: ConfigurationError.self) { try yaml(String(server[..<end])) }
      #expect(error?.description.hasSuffix("it is cut off: take a whole copy") == true)
    }
    let error = #expect(throws: ConfigurationError.self) {
      try yaml("<icecast>\n<relay>\n<server>far.exam")
    }
    #expect(
      error?.description
        == "icecast.xml:3: ends inside <server> of line 3; it is cut off: take a whole copy")
  }

  @Test func `tags that do not fit are refused as by Icecast`() throws {
    let error = #expect(throws: ConfigurationError.self) {
      try yaml("<icecast>\n<limits>\n<clients>5</limits>\n</icecast>")
    }
    #expect(
      error?.description == "icecast.xml:3: </limits> stands where <clients> of line 3 should end; "
        + "mend it: Icecast does not take it either")
  }
}
