import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Which second of a log is heard by how many.
@Suite(.serialized) struct HearingSampleTests {
  @Test func `each listener counts for what it hears, and a copy's for what was on air`()
    async throws
  {
    try await withServer(seconds: 60, threads: 2) { server in
      let log = server.station.log
      await server.server.publish(mounts: [
        Mount(station: "jazz", log: log),
        Mount(station: "later", log: log, delay: MediaTime(seconds: 30)),
        Mount(station: "other", log: PacketLog(memoryOnly: LogConfiguration(), at: .now())),
      ])
      let clients = try ["/jazz", "/jazz", "/jazz?offset=20&burst=1", "/later"].map {
        try StreamClient(to: server.address, get: $0)
      }
      for client in clients { #expect(try client.head().status == 200) }
      try await eventually("all listen") { await server.server.figures().listeners == 4 }
      let sample = await server.server.hearings(of: [log.serial])
      let seconds = try #require(sample.logs[log.serial])
      #expect(sample.logs.count == 1 && seconds.values.reduce(0, +) == 4)
      let heard = seconds.flatMap { Array(repeating: $0.key, count: $0.value) }.sorted()
      // Of live players the burst is in front: 4 s.
      let live = heard[3]
      #expect(live - heard[2] <= 1)
      #expect((14...18).contains(live - heard[1]), "\(heard)")
      #expect((28...32).contains(live - heard[0]), "\(heard)")
      #expect(await server.server.hearings(of: [log.serial + 1000]) == HearingSample())
      withExtendedLifetime(clients) {}
    }
  }

  @Test func `who is gone or paused hears nothing`() async throws {
    try await withServer(seconds: 20, threads: 1) { server in
      let serial = server.station.log.serial
      func count() async -> Int {
        await server.server.hearings(of: [serial]).logs[serial]?.values.reduce(0, +) ?? 0
      }
      let paused = try StreamClient(to: server.address, get: "/jazz?session=the-session_01")
      let leaving = try StreamClient(to: server.address, get: "/jazz")
      for client in [paused, leaving] { #expect(try client.head().status == 200) }
      try await eventually("both hear") { await count() == 2 }
      leaving.hangUp()
      try await eventually("one has left") { await count() == 1 }
      let token = try #require(SessionToken("the-session_01"))
      _ = await server.server.steer(session: token, .pause)
      try await eventually("nobody hears") { await count() == 0 }
      withExtendedLifetime(paused) {}
    }
  }

  @Test func `samples of several loops add up`() {
    var sum = HearingSample()
    sum.add(2, at: 10, of: 1)
    sum.add(1, at: 10, of: 1)
    var other = HearingSample()
    other.add(4, at: 10, of: 1)
    other.add(5, at: 11, of: 2)
    sum.add(other)
    #expect(sum.logs == [1: [10: 7], 2: [11: 5]])
  }
}
