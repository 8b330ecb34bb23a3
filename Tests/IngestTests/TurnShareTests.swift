import Reactor
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Ingest

@Suite struct TurnShareTests {
  private func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64((1000 + seconds) * 1e9))
  }

  @Test func `a turn has four pieces, and the next one four again`() {
    var share = TurnShare()
    var taken = [0, 0]
    for turn in 0..<2 {
      while share.hasLeft(in: Int64(turn), at: at(0)) {
        share.took(16 * 1024)
        taken[turn] += 1
      }
    }
    #expect(taken == [4, 4])
  }

  @Test func `bytes that are much work are fewer, and always some`() {
    var share = TurnShare()
    let first = share.hasLeft(in: 1, at: at(0))
    share.took(100)
    let second = share.hasLeft(in: 1, at: at(TurnShare.secondsMax * 2))
    let next = share.hasLeft(in: 2, at: at(1))
    #expect(first && !second && next)
  }

  /// Counts what a body brings in each turn of a loop, and is slow, so that there is always more to read.
  private final class Eater: TransferOwner {
    let loop: EventLoop
    var turns: [Int64: Int] = [:]
    var hash = 0
    var total = 0
    var isOver = false

    init(_ loop: EventLoop) { self.loop = loop }

    func transfer(_ transfer: any BodyTransfer, answered status: Int, fields: [TransferField]) {}
    func transfer(_ transfer: any BodyTransfer, delivered piece: Span<UInt8>) {
      turns[loop.turnTime, default: 0] += piece.count
      for index in 0..<piece.count { hash = hash &* 31 &+ Int(piece[index]) }
      total += piece.count
    }
    func transfer(_ transfer: any BodyTransfer, ended end: TransferEnd) { isOver = true }
  }

  private actor Stage {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private var multi: CurlMulti?
    private var transfers: [Transfer] = []
    private var eaters: [Eater] = []

    init(_ loop: EventLoop) { self.loop = loop }

    func fetch(_ url: String) {
      let multi = self.multi ?? CurlMulti(loop: loop)
      self.multi = multi
      let eater = Eater(loop)
      eaters.append(eater)
      transfers.append(
        Transfer(
          TransferRequest(url: url, userAgent: "test", connectTimeout: 5), on: multi, owner: eater))
    }

    var isOver: Bool { eaters.allSatisfy(\.isOver) }
    var results: [(most: Int, total: Int, hash: Int)] {
      eaters.map { ($0.turns.values.max() ?? 0, $0.total, $0.hash) }
    }
    func close() {
      for transfer in transfers { transfer.cancel() }
      multi?.close()
      multi = nil
    }
  }

  @Test func `an upstream that sends without end has its share of each turn, and all of it comes`()
    async throws
  {
    let body = (0..<8 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) }
    let upstream = try FakeUpstream(.numbered(speed: 1))
    defer { upstream.stop() }
    upstream.reply("/live", with: .file(body, mediaType: "audio/mpeg"))
    let loop = try EventLoop(name: "ingest")
    loop.start()
    let stage = Stage(loop)
    for _ in 0..<3 { await stage.fetch(upstream.url("/live")) }
    try await eventually("all is here", within: 60) { await stage.isOver }
    let hash = body.reduce(0) { $0 &* 31 &+ Int($1) }
    for result in await stage.results {
      #expect(result.total == body.count && result.hash == hash)
      // libcurl's pieces are of 16 KiB at most, and the last may begin just below the bound.
      #expect(result.most < TurnShare.bytesMax + 16 * 1024)
    }
    await stage.close()
    loop.stop()
  }
}
