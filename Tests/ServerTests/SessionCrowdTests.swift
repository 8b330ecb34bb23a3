import Glibc
import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// One of a crowd that is steered at random, and what its packets should be.
private final class SteeredListener {
  let token: SessionToken
  var client: StreamClient
  /// Positions that answers said it would go on at, since it connected.
  var starts: [UInt64] = []
  /// Where it stopped when it connected anew.
  var stopped: UInt64?
  var connections = 1
  /// When the first audio was here: the server has known it for longer. nil: not yet.
  var heardAt: MonotonicTime?

  init(_ token: SessionToken, _ client: StreamClient) {
    self.token = token
    self.client = client
  }
}

@Suite(.serialized)
struct SessionCrowdTests {
  private func steering(_ random: inout SplitMix) -> Steering {
    switch Int.random(in: 0..<9, using: &random) {
    case 0: .pause
    case 1: .resume
    case 2: .rewind(MediaTime(seconds: Double.random(in: 1...40, using: &random)))
    case 3: .forward(MediaTime(seconds: Double.random(in: 1...40, using: &random)))
    case 4: .behind(MediaTime(seconds: Double.random(in: 1...80, using: &random)))
    case 5: .track(TrackPlace.allCases.randomElement(using: &random)!)
    case 6: .live
    default: .resume
    }
  }

  /// What it got on a connection that is over: whole packets, on the promised places, none twice.
  private func settle(_ listener: SteeredListener, _ seed: UInt64) throws {
    listener.client.drain()
    let packets = try HeardPackets(listener.client).packets
    var starts = listener.starts[...]
    var next = listener.stopped
    for packet in packets {
      let at = NumberedFrames.position(of: packet)
      if at != next ?? at {
        // A jump right behind another may leave nothing of the one before.
        while let start = starts.first, start != at { starts = starts.dropFirst() }
        #expect(starts.popFirst() == at, "seed \(seed): \(packet) was not asked for")
      }
      next = NumberedFrames.position(of: packet + 1)
    }
    listener.stopped = next
    // What nothing was sent of is where the next connection begins.
    listener.starts = Array(starts)
  }

  @Test func `five hundred listeners who are steered at random get what the answers say`()
    async throws
  {
    let seed = UInt64.random(in: 1...1_000_000)
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    let seconds = getenv("LONGWAVE_STEERED_SECONDS").flatMap { Double(String(cString: $0)) } ?? 10
    try await withServer(seconds: 100) { server in
      var crowd: [SteeredListener] = []
      for number in 0..<500 {
        let token = try #require(SessionToken("listener-\(number)"))
        crowd.append(SteeredListener(token, try connect(server, token, &random)))
      }
      let begin = MonotonicTime.now().nanoseconds
      // On a machine that is busy with other things, until somebody came back at all.
      func isOver(_ time: Double) -> Bool {
        time > 60 + seconds || time > seconds && crowd.contains { $0.connections > 1 }
      }
      while !isOver(Double(MonotonicTime.now().nanoseconds - begin) / 1e9) {
        let listener = crowd.randomElement(using: &random)!
        // Who is gone within two seconds was a probe.
        let age = listener.heardAt.map { MonotonicTime.now().seconds(since: $0) } ?? 0
        if age > 2.5, Int.random(in: 0..<8, using: &random) == 0 {
          try await reconnect(listener, to: server, seed, &random)
        } else {
          try await steer(listener, on: server, seed, &random)
        }
        for listener in crowd {
          listener.client.drain()
          if listener.heardAt == nil, listener.client.bodyCount > 0 { listener.heardAt = .now() }
        }
        // Other tests want this thread too.
        try await Task.sleep(for: .milliseconds(10))
      }
      for listener in crowd {
        #expect(!listener.client.isEnded, "seed \(seed)")
        try settle(listener, seed)
      }
      #expect(crowd.contains { $0.connections > 1 })
    }
  }

  private func connect(
    _ server: TestServer, _ token: SessionToken, _ random: inout SplitMix
  ) throws -> StreamClient {
    try StreamClient(
      to: server.address, get: "/jazz?session=\(token)&burst=1",
      titles: Bool.random(using: &random))
  }

  private func steer(
    _ listener: SteeredListener, on server: TestServer, _ seed: UInt64,
    _ random: inout SplitMix
  ) async throws {
    let steering = steering(&random)
    let outcome = await server.server.steer(session: listener.token, steering)
    // Not yet in: its request has not been read.
    if case .unknown = outcome { return }
    guard case .done(let snapshot) = outcome else {
      Issue.record("seed \(seed): \(steering) \(outcome)")
      return
    }
    listener.starts.append(snapshot.position)
  }

  private func reconnect(
    _ listener: SteeredListener, to server: TestServer, _ seed: UInt64,
    _ random: inout SplitMix
  ) async throws {
    let older = listener.client
    let newer = try connect(server, listener.token, &random)
    _ = try await newer.answer()
    try await older.until("the older one's end") { $0.isEnded }
    try settle(listener, seed)
    listener.client = newer
    listener.connections += 1
    listener.heardAt = nil
  }
}
