import Glibc
import Longwave
import Reactor
import TestSupport
import Testing
import Wire

/// What a player has to play while its station loses its source, goes over to the fallback, and comes back.
@Suite(.serialized) struct FallbackHoleTests {
  enum Way: CaseIterable {
    /// A source that closes in good order, or an upstream whose body ends.
    case goodbye, bodyEnds
    /// The connection is reset.
    case reset
    /// The source stays, and sends nothing.
    case silence
  }

  /// A programme, a file that is its fallback, and how long what a listener got of both lasts.
  struct Material: Sendable {
    var name: String
    var mediaType: String
    var programme: FakeProgramme
    /// What a connection begins with, at a packet.
    var opening: @Sendable (Int) -> [UInt8] = { _ in [] }
    var stream = FakeStream(burst: 5)
    var file: [UInt8]
    /// Seconds of the station's packets and of the fallback's; and whether the station's follow each other, but for
    /// what the outage took.
    var measure: @Sendable ([UInt8]) throws -> (own: Double, fallback: Double, isWhole: Bool)
  }

  static func mp3() throws -> Material {
    let other: UInt64 = 1_000_000
    return Material(
      name: "mp3", mediaType: "audio/mpeg", programme: .numbered(before: 30),
      file: NumberedFrames.stream(other..<other + 300)
    ) { body in
      let packets = try FallbackScenarioTests.packets(body)
      let own = packets.compactMap { $0 }.filter { $0 < other }.map { Int($0) }
      let length = 1152 / 44_100.0
      return (
        Double(own.count) * length, Double(packets.count - own.count) * length,
        Self.isWhole(own, of: length)
      )
    }
  }

  static func aac() throws -> Material {
    func frames(_ seconds: Double, _ seed: UInt64) throws -> [[UInt8]] {
      ADTSFrames.split(
        try Fixtures.ffmpeg(
          ["-c:a", "aac", "-b:a", "96k"], format: "adts", sampleRate: 44_100, seconds: seconds,
          seed: seed)
      ).frames
    }
    let own = try frames(180, 1)
    let known = Dictionary(zip(own, own.indices).map { ($0, $1) }) { first, _ in first }
    return Material(
      name: "aac", mediaType: "audio/aac",
      programme: FakeProgramme(samples: 1024, sampleRate: 44_100, before: 30) {
        own[$0 % own.count]
      },
      file: try frames(8, 2).flatMap { $0 }
    ) { body in
      let found = ADTSFrames.split(body).frames.map { known[$0] }
      let length = 1024 / 44_100.0
      let numbers = found.compactMap(\.self)
      return (
        Double(numbers.count) * length, Double(found.count - numbers.count) * length,
        Self.isWhole(numbers, of: length)
      )
    }
  }

  static func ogg() throws -> Material {
    let own = try FakeOgg(.opus, seconds: 180)
    let loop = try Fixtures.ogg(.opus, sampleRate: 48_000, channels: 2, seconds: 8, seed: 2)
    let other = FakeOgg(.opus, file: loop)
    return Material(
      name: "opus", mediaType: "application/ogg", programme: own.programme(before: 30),
      opening: own.stream(burst: 0).opening ?? { _ in [] }, stream: own.stream(burst: 5),
      file: loop
    ) { body in
      let heard = own.hear(body).numbers
      let length = Double(own.samples) / 48_000
      return (
        Double(heard.count) * length,
        Double(other.hear(body).numbers.count * other.samples) / 48_000,
        Self.isWhole(heard, of: length)
      )
    }
  }

  /// Only the outage is missing, and nothing comes twice: in Ogg that would be one round of the programme further.
  private static func isWhole(_ numbers: [Int], of seconds: Double) -> Bool {
    let breaks = zip(numbers, numbers.dropFirst()).filter { $0 + 1 != $1 }
    return breaks.count <= 1 && breaks.allSatisfy { $0 < $1 && Double($1 - $0) * seconds < 90 }
  }

  @Test func `MP3 players never run dry in an outage`() async throws {
    try await expectNoHole(Self.mp3)
  }

  @Test func `AAC players never run dry in an outage`() async throws {
    try await expectNoHole(Self.aac)
  }

  @Test func `Ogg players never run dry in an outage`() async throws {
    try await expectNoHole(Self.ogg)
  }

  private func expectNoHole(
    _ make: @escaping @Sendable () throws -> Material
  ) async throws {
    let material = try await offPool(make)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for way in Way.allCases {
        group.addTask { try await Self.outage(material, way) }
      }
      try await group.waitForAll()
    }
  }

  /// Seconds of the programme, of the outage, and of the programme again.
  private static let (before, away, after) = (6.0, 10.0, 4.0)

  private static func outage(_ material: Material, _ way: Way) async throws {
    let folder = TemporaryDirectory()
    folder.write("loop", material.file)
    let upstream = try FakeUpstream(material.programme)
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(material.stream, mediaType: material.mediaType))
    let source =
      way == .bodyEnds
      ? "upstream: \"\(upstream.url("/live"))\"" : "upstream: push, source-password: push-it-now"
    folder.write(
      "longwave.yml",
      Array(
        """
        admin: {token: \(Scenario.token)}
        stations:
          - {id: live, \(source), data-timeout: 300s, fallback: "file:\(folder.path)/loop"}

        """.utf8))
    let relay = try await LongwaveProcess(
      ["serve", "--config", folder.path + "/longwave.yml"], data: folder.path + "/data")
    // The source and the player are in time, whatever Swift's pool has to do.
    let played = try await offPool { [address = relay.address] in
      try outage(material, way, upstream, address)
    }
    #expect(played.least > 0, "\(material.name), \(way): \(played)")
    #expect(played.isWhole, "\(material.name), \(way): \(played)")
    #expect(played.fallback > away - 5, "\(material.name), \(way): \(played)")
    withExtendedLifetime((folder, relay)) {}
  }

  private static func outage(
    _ material: Material, _ way: Way, _ upstream: FakeUpstream, _ address: SocketAddress
  ) throws -> Player.Played {
    let source = try way == .bodyEnds ? nil : PushedSource(address, material)
    let end = secondsNow() + never
    while try window(of: address) < 4.5 {
      if secondsNow() > end { throw TimeIsUp(description: "\(way): five seconds do not come") }
      source?.send()
      usleep(20_000)
    }
    let client = try StreamClient(to: address, get: "/live")
    var player = Player()
    player.listen(client, for: before) { source?.send() }
    switch way {
    case .goodbye: source?.client.hangUp()
    case .reset: source?.client.reset()
    case .bodyEnds: upstream.goAway()
    case .silence: break
    }
    try player.listen(client, toHear: away) {}
    let again =
      way == .goodbye || way == .reset ? try PushedSource(address, material, burst: 0) : nil
    if way == .silence { source?.skip() }
    if way == .bodyEnds { try upstream.comeBack() }
    try player.listen(client, toHear: after) { (again ?? source)?.send() }
    return try player.played(client.body, material)
  }

  /// Seconds after which nothing comes any more.
  fileprivate static let never = 90.0

  /// Seconds of the station that there are.
  private static func window(of address: SocketAddress) throws -> Double {
    let client = try StreamClient(
      to: address,
      sending: "GET /api/v1/stations/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        + "Authorization: Bearer \(Scenario.token)\r\n\r\n")
    try client.wait { $0.isEnded }
    return JSON.parse(client.body)?["window"]?["seconds"]?.double ?? 0
  }
}

/// An encoder that sends a programme as it is on air.
private final class PushedSource {
  let client: StreamClient
  private let programme: FakeProgramme
  private var next: Int

  init(
    _ address: SocketAddress, _ material: FallbackHoleTests.Material, burst: Double = 5
  ) throws {
    programme = material.programme
    next = programme.first(burst: burst)
    client = try StreamClient(
      to: address,
      sending: "SOURCE /live HTTP/1.0\r\nHost: x\r\n" + PushScenarioTests.right
        + "Content-Type: \(material.mediaType)\r\n\r\n")
    client.send(material.opening(next))
  }

  func send() {
    client.drain()
    while next < programme.packetsOnAir {
      client.send(programme.packet(next))
      next += 1
    }
  }

  /// Leaves out what was on air meanwhile.
  func skip() { next = programme.packetsOnAir }
}

/// A player that plays from its first byte on, and how much it has at any time.
private struct Player {
  private var looks: [(at: Double, bytes: Int)] = []

  struct Played: CustomStringConvertible {
    /// Seconds in hand: at first, at least, and at last.
    var first: Double
    var least: Double
    var last: Double
    var fallback: Double
    var isWhole: Bool
    var bytes: [Int]

    var description: String {
      func shown(_ seconds: Double) -> String { "\((seconds * 100).rounded() / 100)" }
      return "in hand at first \(shown(first)), least \(shown(least)), at last \(shown(last)) s; "
        + "\(shown(fallback)) s of the fallback; bytes per second \(bytes)"
    }
  }

  mutating func listen(
    _ client: StreamClient, for seconds: Double, meanwhile: () -> Void
  ) {
    let end = secondsNow() + seconds
    while secondsNow() < end {
      meanwhile()
      client.drain()
      if client.bodyCount > 0 { looks.append((secondsNow(), client.bodyCount)) }
      usleep(20_000)
    }
  }

  /// Listens until so many seconds of sound have come, by the bytes that came in a second before.
  mutating func listen(
    _ client: StreamClient, toHear seconds: Double, meanwhile: () -> Void
  ) throws {
    // Behind its burst.
    let first = looks.first { $0.at > looks[0].at + 1 } ?? looks[0]
    let last = looks[looks.count - 1]
    let enough =
      last.bytes + Int(seconds * Double(last.bytes - first.bytes) / max(1, last.at - first.at))
    let end = secondsNow() + FallbackHoleTests.never
    repeat {
      if secondsNow() > end { throw TimeIsUp(description: "what a player waits for does not come") }
      listen(client, for: 0.5, meanwhile: meanwhile)
    } while client.bodyCount < enough
  }

  func played(_ body: [UInt8], _ material: FallbackHoleTests.Material) throws -> Played {
    let began = looks.first?.at ?? 0
    // One look a second, and those in front of what came late.
    let chosen = looks.indices.filter { index in
      index % 50 == 49
        || index + 1 < looks.count && looks[index + 1].bytes - looks[index].bytes > 20_000
    }
    // A machine on which a thread that wants 20 ms gets none for much longer stands still for the relay as well.
    var stood = [0.0]
    for (look, next) in zip(looks, looks.dropFirst()) {
      let late = next.at - look.at - 0.02
      stood.append(stood[stood.count - 1] + (late > 0.25 ? late : 0))
    }
    var inHand: [Double] = []
    for index in chosen {
      let (own, fallback, _) = try material.measure(Array(body.prefix(looks[index].bytes)))
      inHand.append(own + fallback + stood[index] - (looks[index].at - began))
    }
    var bytes: [Int] = []
    for look in looks {
      let second = Int(look.at - began)
      while bytes.count <= second { bytes.append(bytes.last ?? 0) }
      bytes[second] = look.bytes
    }
    let (_, fallback, isWhole) = try material.measure(body)
    return Played(
      first: inHand.first ?? 0, least: inHand.min() ?? 0, last: inHand.last ?? 0,
      fallback: fallback, isWhole: isWhole,
      bytes: zip([0] + bytes, bytes).map { $1 - $0 })
  }
}
