import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// What a session tells of its connection, and where a connection begins that moves its session.
@Suite(.serialized)
struct SessionConnectionTests {
  private static let token = SessionToken("the-session_01")!
  private static let frame = 1152.0 / 44_100

  private func steer(
    _ server: TestServer, _ steering: Steering? = nil
  ) async throws -> SessionSnapshot {
    guard case .done(let snapshot) = await server.server.steer(session: Self.token, steering) else {
      Issue.record("not done: \(String(describing: steering))")
      throw CancellationError()
    }
    return snapshot
  }

  private func listen(_ server: TestServer, _ query: String = "") async throws -> StreamClient {
    let client = try StreamClient(
      to: server.address, get: "/jazz?session=\(Self.token)\(query)", titles: true)
    try await client.until("the burst") { $0.bodyCount > 40_000 }
    return client
  }

  private func leave(_ server: TestServer, _ client: StreamClient) async throws {
    client.hangUp()
    try await eventually("it has left") {
      try await self.steer(server).state == .disconnected
    }
  }

  private func number(at position: UInt64) -> UInt64? {
    (0..<100_000).first { NumberedFrames.position(of: $0) == position }
  }

  /// Checks that a player's clock, which counts all frames that came, leads to the packet that is played.
  ///
  /// - Parameter begin: how many packets came before the session was moved; the same may come again behind them.
  private func expectClock(
    _ connection: SessionSnapshot.Connection?, of client: StreamClient, in server: TestServer,
    from begin: Int = 0
  ) throws {
    let connection = try #require(connection)
    let heard = try HeardPackets(client)
    let target = try #require(number(at: connection.position))
    let index = try #require(
      heard.numbers[begin...].firstIndex(of: target), "\(target) has not come")
    let reader = LogReader(server.station.log)
    for (later, number) in heard.numbers[index...].enumerated() {
      guard let number else { continue }
      let media = try #require(reader.media(at: NumberedFrames.position(of: number))).seconds
      let clock = Double(index + later) * Self.frame
      let read = connection.media + clock - (try #require(connection.after))
      #expect(abs(read - media) < 0.002, "packet \(number) by the clock \(clock)")
    }
    let media = MediaTime(seconds: connection.media)
    #expect(abs(reader.air(at: media).seconds(since: connection.air)) < 0.01)
  }

  @Test func `a player's clock is read as a place in the log, over jumps and pauses`() async throws
  {
    var settings = ListenerSettings()
    settings.behind = .skip
    settings.lagMax = MediaTime(seconds: 60)
    try await withServer(seconds: 100, settings: settings) { server in
      let client = try await listen(server)
      let begun = try await steer(server)
      #expect(begun.connection?.jumps == 0 && begun.connection?.after == 0)
      try expectClock(begun.connection, of: client, in: server)

      for (jumps, steering) in [Steering.behind(MediaTime(seconds: 90)), .live].enumerated() {
        let begin = try HeardPackets(client).numbers.count
        let moved = try await steer(server, steering)
        #expect(moved.connection?.jumps == jumps + 1)
        let target = try #require(number(at: moved.position))
        try await client.until("\(steering)") {
          try HeardPackets($0).numbers[begin...].contains(target)
        }
        try expectClock(moved.connection, of: client, in: server, from: begin)
      }

      _ = try await steer(server, .behind(MediaTime(seconds: 30)))
      let before = try HeardPackets(client).silence
      _ = try await steer(server, .pause)
      try await client.until("silence") { try HeardPackets($0).silence > before + 40 }
      let resumed = try await steer(server, .resume)
      let next = try #require(number(at: resumed.position))
      // Behind the silence: on a busy machine the same packets were heard before, while it was live.
      func behindSilence(_ client: StreamClient) throws -> (begin: Int, numbers: [UInt64?]) {
        let numbers = try HeardPackets(client).numbers
        let begin = (numbers.lastIndex(of: nil) ?? -1) + 1
        return (begin, Array(numbers[begin...]))
      }
      try await client.until("more") { try behindSilence($0).numbers.contains(next + 20) }
      let (begin, numbers) = try behindSilence(client)
      let index = try begin + (#require(numbers.firstIndex(of: next)))
      let connection = try #require(resumed.connection)
      let media = try #require(LogReader(server.station.log).media(at: resumed.position)).seconds
      let read = connection.media + Double(index) * Self.frame - (try #require(connection.after))
      #expect(abs(read - media) < 0.002)

      try await leave(server, client)
      #expect(try await steer(server).connection == nil)
    }
  }

  @Test(arguments: [
    ("live", nil), ("-30s", -30.0), ("%2B20s", 20), ("next-track", 0), ("track-start", 0),
  ])
  func `a connection that seeks moves the session and lets it play`(
    seek: String, moved: Double?
  ) async throws {
    try await withServer(seconds: 100) { server in
      try await leave(server, try await listen(server, "&offset=50"))
      let stood = try await steer(server, .pause)
      let client = try await listen(server, "&seek=\(seek)")
      let now = try await steer(server)
      #expect(now.state == .playing)
      let reader = LogReader(server.station.log)
      let from = try #require(reader.media(at: stood.position)).seconds
      let first = try #require(HeardPackets(client).packets.first)
      let to = try #require(reader.media(at: NumberedFrames.position(of: first))).seconds
      #expect(try #require(now.connection).position == NumberedFrames.position(of: first))
      switch (seek, moved) {
      case ("next-track", _):
        #expect(
          NumberedFrames.position(of: first) == reader.nextTitlePosition(after: stood.position))
      case ("track-start", _):
        #expect(NumberedFrames.position(of: first) == reader.titlePosition(at: stood.position))
      case (_, let moved?): #expect(abs(to - from - moved) < 0.1)
      case (_, nil): #expect(now.offset < 10 && !now.canForward)
      }
    }
  }

  @Test func `a moment is gone to by a session that is new as well`() async throws {
    try await withServer(seconds: 100) { server in
      let moment = Moment.now().wall.adding(seconds: -60)
      let client = try await listen(server, "&seek=\(moment.rfc3339)")
      let connection = try #require(try await steer(server).connection)
      #expect(abs(connection.air.seconds(since: moment)) < 0.1)
      try expectClock(connection, of: client, in: server)
    }
  }
}
