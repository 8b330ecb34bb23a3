import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Mounts that are another one's log, later.
@Suite(.serialized)
struct DelayTests {
  private func publish(_ server: TestServer, delay: Double) async {
    let later = Mount(
      station: "later", log: server.station.log, delay: MediaTime(seconds: delay))
    await server.server.publish(mounts: [Mount(station: "jazz", log: server.station.log), later])
  }

  /// Seconds since a packet was on air. A log that nobody feeds for a while has a hole in its air times.
  private func age(of packet: UInt64, _ server: TestServer) throws -> Double {
    let reader = LogReader(server.station.log)
    let media = try #require(reader.media(at: NumberedFrames.position(of: packet)))
    return Moment.now().wall.seconds - reader.air(at: media).seconds
  }

  private func packets(in seconds: Double) -> Int { Int(seconds * 44_100 / 1152) }

  @Test func `a delayed station plays what was on air then, whole, also when nothing is now`()
    async throws
  {
    try await withServer(seconds: 60) { server in
      await publish(server, delay: 30)
      let client = try StreamClient(to: server.address, get: "/later", titles: true)
      try await client.until("the burst") { try HeardPackets($0).packets.count > packets(in: 3) }
      let offset = try client.head()["longwave-offset"].flatMap { Double($0) }
      #expect(offset.map { (3...4.6).contains($0) } == true)
      let first = try #require(HeardPackets(client).packets.first)
      // The burst before what was on air 30 s ago, and what all this took; who listens live is 4 s behind.
      #expect(try age(of: first, server) > 33)

      let shifted = try StreamClient(to: server.address, get: "/later?offset=10")
      try await shifted.until("a packet") { try !HeardPackets($0).packets.isEmpty }
      let shiftedFirst = try #require(HeardPackets(shifted).packets.first)
      #expect(try age(of: shiftedFirst, server) > 39.5)
      let listeners = await server.server.listeners().filter { $0.station == "later" }
      #expect(listeners.count == 2 && listeners.allSatisfy { ($0.offset ?? 99) < 12 })

      server.station.pause(true)
      let before = try HeardPackets(client).packets.count
      try await client.until("what was on air then") {
        try HeardPackets($0).packets.count > before + packets(in: 5)
      }
      let heard = try HeardPackets(client)
      #expect(heard.seams.isEmpty)
      for title in heard.titles where !title.title.isEmpty {
        let at = heard.packets[min(title.at / 418, heard.packets.count - 1)]
        #expect(title.title == server.station.title(at: at))
      }
      withExtendedLifetime((client, shifted)) {}
    }
  }

  @Test func `a listener can be moved to the same station, later`() async throws {
    try await withServer(seconds: 60) { server in
      await publish(server, delay: 30)
      let client = try StreamClient(to: server.address, get: "/jazz")
      try await client.until("the burst") { try HeardPackets($0).packets.count > packets(in: 3) }
      let id = try #require(await server.server.listeners().first?.id)
      #expect(await server.server.move(listener: id, to: "later") == .moved)
      #expect(await server.server.listeners().map(\.station) == ["later"])
      try await client.until("what was on air then") { try !HeardPackets($0).seams.isEmpty }
      let seam = try #require(HeardPackets(client).seams.first)
      #expect(try age(of: seam.to, server) > 29)
      #expect(await server.server.move(listener: id, to: "later") == .moved)
      #expect(await server.server.listeners().map(\.station) == ["later"])
    }
  }

  @Test func `a delayed station has nothing to play before so much has been on air`() async throws {
    try await withServer(seconds: 20) { server in
      await publish(server, delay: 300)
      let client = try StreamClient(to: server.address, get: "/later")
      let head = try await client.answer()
      #expect(head.status == 503 && head["retry-after"] == "5")
      let shown = server.station.log.snapshot(
        delay: MediaTime(seconds: 300), at: Moment.now())
      #expect(shown.edge == shown.oldest && shown.title?.position == 0)
    }
  }

  @Test func `a delayed reader finds its place on disk too`() async throws {
    let directory = TemporaryDirectory()
    let storage = Storage(flushInterval: 0.05)
    storage.start()
    defer { storage.stop() }
    var configuration = LogConfiguration(retention: MediaTime(seconds: 3600))
    configuration.windowBytes = 128 * 1024
    let log = try PacketLog.open(
      directory: directory.path, configuration: configuration, storage: storage, at: .now(),
      report: { _ in })
    // Its oldest packets have left the memory.
    try await withServer(seconds: 120, log: log) { server in
      await publish(server, delay: 90)
      let client = try StreamClient(to: server.address, get: "/later")
      try await client.until("six seconds") {
        try HeardPackets($0).packets.count > packets(in: 6)
      }
      let heard = try HeardPackets(client)
      #expect(heard.seams.isEmpty)
      #expect(try age(of: try #require(heard.packets.first), server) > 93)
    }
    log.close()
  }
}
