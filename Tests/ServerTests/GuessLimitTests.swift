import Reactor
import Synchronization
import Testing

@testable import Server

@Suite struct GuessLimitTests {
  private func origin(_ host: String) throws -> APIRequest.Origin {
    .tcp(try #require(SocketAddress(host: host, port: 1)))
  }

  /// A clock that stands until it is set.
  private final class Clock: Sendable {
    let now = Atomic<Int64>(0)
  }

  private func limit(_ clock: Clock, knownFactor: Int = 1) -> GuessLimit {
    GuessLimit(knownFactor: knownFactor, now: { clock.now.load(ordering: .relaxed) })
  }

  private static let second: Int64 = 1_000_000_000

  private func spend(_ limit: GuessLimit, _ origin: APIRequest.Origin) {
    for _ in 0..<GuessLimit.wrongMax { limit.wrong(origin) }
  }

  @Test func `an address that is wrong too often is not listened to until it is quiet`() throws {
    let clock = Clock()
    let limit = limit(clock)
    let (guesser, other) = (try origin("203.0.113.7"), try origin("203.0.113.8"))
    for _ in 0..<GuessLimit.wrongMax {
      #expect(!limit.isSpent(guesser))
      limit.wrong(guesser)
    }
    #expect(limit.isSpent(guesser) && !limit.isSpent(other))
    // Each try is one more.
    for second in 1...5 {
      clock.now.store(Int64(second) * 9 * Self.second, ordering: .relaxed)
      #expect(limit.isSpent(guesser))
    }
    clock.now.store(55 * Self.second, ordering: .relaxed)
    #expect(!limit.isSpent(guesser))
    limit.wrong(guesser)
    #expect(limit.isSpent(guesser))
    // Its minute is over.
    clock.now.store(GuessLimit.nanoseconds, ordering: .relaxed)
    #expect(!limit.isSpent(guesser))
    for _ in 1..<GuessLimit.wrongMax { limit.wrong(guesser) }
    #expect(!limit.isSpent(guesser))
    limit.wrong(guesser)
    #expect(limit.isSpent(guesser) && limit.wrongPasswords == 2 * UInt64(GuessLimit.wrongMax) + 1)
  }

  @Test func `who guesses at the pace that is let through gets no further for it`() throws {
    let clock = Clock()
    let limit = limit(clock)
    let guesser = try origin("203.0.113.7")
    var looked = 0
    for tenth in 0..<36_000 {
      clock.now.store(Int64(tenth) * Self.second / 10, ordering: .relaxed)
      // Once it is refused it waits for just long enough.
      if tenth % 101 != 0, looked % 20 == 0, looked > 0 { continue }
      if limit.isSpent(guesser) { continue }
      limit.wrong(guesser)
      looked += 1
    }
    #expect(looked <= 60 * (GuessLimit.wrongMax + 6))
  }

  @Test func `who was right before is looked at for longer, and on its connection always`() throws {
    let limit = limit(Clock(), knownFactor: 10)
    let (here, guesser) = (
      try origin("203.0.113.7"), APIRequest.Origin.tcp(.ipv4(0xCB00_7107, port: 9))
    )
    limit.right(here)
    for _ in 0..<(GuessLimit.wrongMax * 10) {
      #expect(!limit.isSpent(guesser))
      limit.wrong(guesser)
    }
    #expect(limit.isSpent(guesser) && !limit.isSpent(here))
    // A connection that is wrong is like any other.
    limit.wrong(here)
    #expect(limit.isSpent(here))
  }

  @Test func `a site of many networks is one guesser`() throws {
    let limit = limit(Clock())
    for network in 0..<16 { limit.wrong(try origin("2001:db8:7:\(network)::1")) }
    let neighbour = try origin("2001:db8:7:99::1")
    #expect(!limit.isSpent(neighbour) && limit.addresses == 16)
    for network in 16..<24 { limit.wrong(try origin("2001:db8:7:\(network)::1")) }
    let elsewhere = try origin("2001:db8:8::1")
    #expect(limit.isSpent(neighbour) && limit.addresses == 1 && !limit.isSpent(elsewhere))
  }

  @Test func `nobody can have others forgotten, however many addresses they have`() throws {
    let limit = limit(Clock())
    let guessers = try ["203.0.113.7", "2001:db8:1::1"].map { try origin($0) }
    for guesser in guessers { spend(limit, guesser) }
    // A /32 of IPv6, a /48 after the other.
    for site in 0..<40_000 {
      limit.wrong(.tcp(.ipv6(0x2A00_1234 << 32 | UInt64(site) << 16, 1, port: 1)))
    }
    #expect(limit.addresses <= GuessLimit.addressesMax)
    for guesser in guessers { #expect(limit.isSpent(guesser)) }
  }

  @Test func `who is wrong now and then is never refused`() throws {
    let clock = Clock()
    let limit = limit(clock)
    let guesser = try origin("203.0.113.7")
    for round in 0..<200 {
      clock.now.store(Int64(round) * 5_000_000_000, ordering: .relaxed)
      limit.wrong(guesser)
      #expect(!limit.isSpent(guesser))
    }
  }

  @Test(arguments: [
    ("2001:db8:1:2::1", "2001:db8:1:2:3:4:5:6", true),
    ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
    ("203.0.113.7", "::ffff:203.0.113.7", true), ("203.0.113.7", "203.0.113.8", false),
    ("0.0.0.1", "::1", false),
  ])
  func `one customer is one guesser`(one: String, other: String, isSame: Bool) throws {
    let limit = limit(Clock())
    for _ in 0..<GuessLimit.wrongMax { limit.wrong(try origin(one)) }
    #expect(limit.isSpent(try origin(other)) == isSame)
  }

  @Test func `the socket is never refused, and a million addresses take no memory`() throws {
    let limit = limit(Clock())
    for _ in 0..<100 { limit.wrong(.unixSocket) }
    #expect(!limit.isSpent(.unixSocket) && limit.wrongPasswords == 0)
    for number in 0..<30_000 { limit.wrong(.tcp(.ipv4(UInt32(number), port: 1))) }
    #expect(limit.addresses <= 10_000)
  }
}
