import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// A station in Ogg that goes on when told, and a file in a loop as its fallback.
private final class OggScene {
  let own: FakeOgg
  let other: FakeOgg
  let log: PacketLog
  let fallback: PacketLog
  private(set) var next = 0
  private var lap = 0
  private var serial: UInt32 = 77

  init(_ codec: Fixtures.OggCodec) throws {
    let channels = codec == .speex ? 1 : 2
    own = try FakeOgg(codec, channels: channels)
    other = try FakeOgg(codec, channels: channels, seconds: 3, seed: 2)
    var window = LogConfiguration()
    window.windowBytes = 64 << 20
    log = PacketLog(memoryOnly: window, at: .now())
    fallback = PacketLog(memoryOnly: window, at: .now())
    goOn(40, isNew: true)
    other.append(0..<other.pageCount, to: fallback, serial: 5, begins: true)
    lap = other.pageCount
  }

  /// - Parameter isNew: as another logical stream.
  func goOn(_ count: Int, isNew: Bool) {
    if isNew { serial += 1 }
    own.append(next..<next + count, to: log, serial: serial, begins: isNew)
    next += count
  }

  /// So many pages, and the seam between two laps of the file.
  func loopOn(_ count: Int) {
    other.append(lap..<lap + count, to: fallback, serial: 5)
    lap += count
    fallback.markGap(seconds: 0, cause: .upstreamJumped)
  }
}

/// Listeners of a station in Ogg that stops and goes on, and of its fallback.
@Suite(.serialized)
struct FallbackOggTests {
  @Test(arguments: Fixtures.OggCodec.allCases)
  func `every Ogg listener comes back, however its station and fallback go on`(
    codec: Fixtures.OggCodec
  ) async throws {
    let seed = UInt64.random(in: 1...1_000_000)
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    let scene = try OggScene(codec)
    var settings = ListenerSettings()
    // Who is live stays so where nobody reads for a while.
    settings.behind = .skip
    settings.lagMax = MediaTime(seconds: 3600)
    try await withServer(seconds: 0, isFed: false, settings: settings, log: scene.log) { server in
      func publish(_ fallback: Fallback?) async {
        var mount = Mount(station: "jazz", log: scene.log, settings: settings)
        mount.fallback = fallback
        await server.server.publish(mounts: [mount])
      }
      let clients = try (0..<6).map { _ in
        try StreamClient(to: server.address, get: "/jazz?burst=1")
      }
      var ears = clients.map { _ in scene.own.ear }
      let last = (scene.next - 1) % scene.own.pageCount
      for (place, client) in clients.enumerated() {
        try await client.until("the burst") {
          ears[place].hear($0.body).numbers.last.map { $0 % scene.own.pageCount } == last
        }
      }
      for round in 0..<12 {
        let served = Fallback(log: scene.fallback, edge: scene.log.edgePosition)
        await publish(served)
        if round == 0 {
          for client in clients {
            try await client.until("the fallback") { !scene.other.hear($0.body).numbers.isEmpty }
          }
        }
        for _ in 0..<Int.random(in: 0...6, using: &random) {
          switch Int.random(in: 0..<6, using: &random) {
          case 0: await publish(nil)
          case 1: await publish(served)
          // Headers, and no page yet.
          case 2: scene.goOn(0, isNew: true)
          case 3: for client in clients where Bool.random(using: &random) { client.drain() }
          default: scene.loopOn(Int.random(in: 1...4, using: &random))
          }
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &random)))
        }
        let count = Int.random(in: 1...6, using: &random)
        let heard = clients.indices.map { ears[$0].hear(clients[$0].body).numbers.count }
        scene.goOn(count, isNew: Bool.random(using: &random))
        // The relay notices, or not yet.
        if Bool.random(using: &random) { await publish(nil) }
        for (place, client) in clients.enumerated() {
          try await client.until("the station in round \(round) of seed \(seed)") {
            ears[place].hear($0.body).numbers.count == heard[place] + count
          }
        }
      }
      for client in clients {
        let chain = OggChain(client.body)
        #expect(chain.problems.isEmpty, "seed \(seed): \(chain.problems)")
        #expect(scene.own.hear(client.body).isUnbroken, "seed \(seed)")
      }
    }
  }
}
