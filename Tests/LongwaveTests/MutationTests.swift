import Foundation
import TestSupport
import Testing
import Wire

@testable import Longwave
@testable import LongwaveAdmin

/// Files and answers as nobody should write them: what is read of them is right or an error, and nothing traps.
@Suite struct MutationTests {
  private let seed = UInt64.random(in: .min ... .max)

  /// What damage makes of these texts, `rounds` times in all.
  private func damaged(_ texts: [String], rounds: Int = 2000) -> [[UInt8]] {
    var random = SplitMix(seed: seed)
    return (0..<rounds).map { round in
      var bytes = Array(texts[round % texts.count].utf8)
      for _ in 0...round % 3 { bytes = random.mutated(bytes) }
      return bytes
    }
  }

  private func isLine(_ text: String) -> Bool {
    !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
  }

  @Test func `a password file gives users with hashes that can be checked`() {
    let hash = "$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC"
    for bytes in damaged(["me:\(hash)\nyou:\(hash)\r\n# nobody\n\nanna:$6$salt$abcdef\nx:y\n"]) {
      let (users, mistakes) = PasswordFile.parse(Data(bytes))
      let lines = bytes.split(separator: 10, omittingEmptySubsequences: false).count
      #expect(users.count + mistakes.count <= lines, "seed \(seed)")
      #expect(users.allSatisfy { !$0.key.isEmpty && isLine($0.value.text) }, "seed \(seed)")
    }
  }

  @Test func `credentials are a user and a password, or nothing`() {
    for bytes in damaged(["Basic bWU6aGFja21l", "basic  Og==", "BASIC bWU6aGFj:a21l"]) {
      let value = String(decoding: bytes, as: UTF8.self)
      let found = BasicCredentials(HTTPFields([("Authorization", value)]))
      #expect(found.map { !$0.user.contains(":") } ?? true, "seed \(seed): \(value)")
    }
  }

  @Test func `events do not depend on how they were cut`() {
    let text = ": hi\r\nid: 7\nevent: gap\ndata: {\"a\":1}\ndata: x\n\r\rdata\nid\n\n"
    for bytes in damaged([text]) {
      var (one, many) = (EventStreamReader(), EventStreamReader())
      let whole = one.feed(bytes.span)
      let pieces = bytes.flatMap { byte in
        let piece = [byte]
        return many.feed(piece.span)
      }
      #expect(whole == pieces, "seed \(seed)")
    }
  }

  @Test func `JSON that was read and written is read again as the same`() {
    let text = #"{"a":[1,-2.5e3,true,null,"\u00e9\n\ud83d\ude00"],"b":{"c":"x"},"d":1e300}"#
    for bytes in damaged([text, "[[[]]]", #""\ud800""#]) {
      guard let json = JSON.parse(bytes) else { continue }
      // Numbers beyond all bounds are written as null, and thousandths are the least.
      let again = JSON.parse(json.bytes)
      #expect(again?.text == json.text, "seed \(seed): \(json.text)")
    }
  }

  @Test func `a damaged file of Icecast's becomes a configuration of ours or an error`() throws {
    let text = """
      <icecast><limits><clients>500</clients><burst-size>65536</burst-size></limits>
      <authentication><admin-password>hackme12</admin-password></authentication>
      <listen-socket><port>8000</port><bind-address>::1</bind-address></listen-socket>
      <relay><server>a.example</server><port>80</port><mount>/a.ogg</mount></relay>
      <mount><mount-name>/b.mp3</mount-name><password>long-enough</password><genre>x: #y</genre>
      <max-listener-duration>3600</max-listener-duration><charset>UTF8</charset></mount>
      <paths><alias source="/c" destination="/b.mp3"/></paths></icecast>
      """
    for bytes in damaged([text], rounds: 500) {
      guard let made = try? IcecastImport(bytes, file: "i.xml", on: .forTests)
      else { continue }
      #expect(throws: Never.self, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))") {
        try Configuration.parse(yaml: made.text, file: "made.yml")
      }
    }
  }

  @Test func `a list of stations gives stations that a configuration takes`() {
    let lists = [
      "#EXTM3U\n#EXTINF:-1 tvg-logo=\"http://p/a.png\",Jazz & more\nhttp://a.example/x\n",
      "[playlist]\nFile1=http://a.example/\nTitle1=(#1 - 4/50) A\nLength1=-1\n",
      "<opml><body><outline text='Ä' URL='http://a.example/' image='http://p/'/></body></opml>",
      "stations:\n  - id: a\n    upstream: [http://a.example/]\n    name: \"x: y\"\n",
    ]
    for bytes in damaged(lists) {
      guard let found = try? StationCandidate.read(bytes, name: "x") else { continue }
      let stations = found.filter { !$0.definition.upstream.isEmpty }.enumerated().map {
        var station = $0.element.definition
        station.id = "s\($0.offset)"
        station.mounts = []
        return station
      }
      let yaml = StationsYAML.text(stations)
      #expect(throws: Never.self, "seed \(seed): \(yaml)") {
        let again = try StationsYAML.read(Array(yaml.utf8), name: "s.yml")
        #expect(again?.map(\.upstream) == stations.map(\.upstream))
      }
    }
  }

  @Test func `a mistake in a configuration is an error with its place`() {
    let text = """
      server: {listen: ["0.0.0.0:8000"], threads: 1}
      listeners: {burst: 4s, deny-agents: ["*bot*"], allow: [10.0.0.0/8]}
      stations:
        - id: jazz
          upstream: [http://a.example/]
          window: 2h
      """
    for bytes in damaged([text], rounds: 1000) {
      do throws(ConfigurationError) {
        _ = try Configuration.parse(yaml: String(decoding: bytes, as: UTF8.self), file: "c.yml")
      } catch {
        #expect(!error.problems.isEmpty, "seed \(seed)")
        #expect(error.problems.allSatisfy { isLine("\($0)") }, "seed \(seed): \(error)")
      }
    }
  }
}
