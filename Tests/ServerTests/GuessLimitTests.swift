import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite struct GuessLimitTests {
  private func origin(_ host: String) throws -> Peer {
    .tcp(try #require(SocketAddress(host: host, port: 1)))
  }

  /// A clock that stands until it is set.
  private final class Clock: Sendable {
    let now = Atomic<Int64>(0)
  }

  /// What becomes of guesses that are looked at side by side.
  private final class Looks: Sendable {
    let begun = Atomic<Int>(0)
    let refused = Atomic<Int>(0)
    let isOpen = Atomic<Bool>(false)
  }

  private func limit(_ clock: Clock, knownFactor: Int = 1) -> GuessLimit {
    GuessLimit(knownFactor: knownFactor, now: { clock.now.load(ordering: .relaxed) })
  }

  private static let second: Int64 = 1_000_000_000

  private func spend(_ limit: GuessLimit, _ origin: Peer) {
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

  @Test func `guesses that take time to look at are no more than those that take none`()
    async throws
  {
    let limit = GuessLimit()
    let guesser = try origin("203.0.113.7")
    let looks = Looks()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask {
          guard await limit.begins(guesser) else {
            looks.refused.add(1, ordering: .relaxed)
            return
          }
          looks.begun.add(1, ordering: .relaxed)
          while !looks.isOpen.load(ordering: .relaxed) {
            try? await Task.sleep(for: .milliseconds(5))
          }
          limit.wrong(guesser)
          limit.ended(guesser)
        }
      }
      try? await eventually("those that may be looked at") {
        looks.begun.load(ordering: .relaxed) == GuessLimit.wrongMax
      }
      looks.isOpen.store(true, ordering: .relaxed)
    }
    #expect(looks.begun.load(ordering: .relaxed) == GuessLimit.wrongMax)
    #expect(looks.refused.load(ordering: .relaxed) == 200 - GuessLimit.wrongMax)
  }

  @Test(arguments: ["203.0.113.7", "2001:db8:1:2::3"])
  func `a hundred behind one address who know the secret all get in`(host: String) async throws {
    let limit = GuessLimit()
    let site = try origin(host)
    let looks = Looks()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          guard await limit.begins(site) else { return }
          try? await Task.sleep(for: .milliseconds(2))
          looks.begun.add(1, ordering: .relaxed)
          limit.right(site)
          limit.ended(site)
        }
      }
    }
    #expect(looks.begun.load(ordering: .relaxed) == 100)
  }

  @Test func `strangers' guesses hold up nobody in their /48 who was right lately`() async throws {
    let limit = GuessLimit()
    func origin(_ block: Int, port: UInt16) throws -> Peer {
      let host = "2001:db8:1:\(String(block, radix: 16))::1"
      return .tcp(try #require(SocketAddress(host: host, port: port)))
    }
    limit.right(try origin(0xffff, port: 1))
    // As many as the /48 may be wrong, behind a service that does not answer; and some that wait.
    let most = GuessLimit.wrongMax * GuessLimit.siteFactor
    let strangers = try (0..<most).map { try origin($0, port: 1) }
    for stranger in strangers { #expect(await limit.begins(stranger)) }
    let listener = try origin(0xffff, port: 2)
    let looks = Looks()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        guard await limit.begins(listener) else { return }
        looks.begun.add(1, ordering: .relaxed)
        limit.ended(listener)
      }
      do {
        try await eventually("its turn") { looks.begun.load(ordering: .relaxed) == 1 }
      } catch {
        Issue.record(error)
      }
      for stranger in strangers { limit.ended(stranger) }
    }
    // All of it is over: a stranger may begin again.
    #expect(await limit.begins(strangers[0]))
  }

  @Test func `a guesser at the pace that is let through gets no further for it`() throws {
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

  @Test func `an address that was right before may be wrong more often`() throws {
    let limit = limit(Clock(), knownFactor: 10)
    let (here, guesser) = (
      try origin("203.0.113.7"), Peer.tcp(.ipv4(0xCB00_7107, port: 9))
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

  /// As many networks of 64 bits as somebody with a /48 has, each of which tries at most `tries` times.
  private func guess(
    _ limit: GuessLimit, from networks: Range<UInt64>, tries: Int = 1
  ) throws -> Int {
    let site = try #require(SocketAddress(host: "2001:db8:7::", port: 1))
    guard case .ipv6(let high, _, _) = site else { return 0 }
    var looked = 0
    for network in networks {
      let origin = Peer.tcp(.ipv6(high | network, 1, port: 1))
      for _ in 0..<tries where !limit.isSpent(origin) {
        limit.wrong(origin)
        looked += 1
      }
    }
    return looked
  }

  @Test func `a site of many networks is one guesser, who has some more tries`() throws {
    let limit = limit(Clock())
    let looked = try guess(limit, from: 0..<65_536, tries: 3)
    #expect(looked == GuessLimit.wrongMax * GuessLimit.siteFactor)
    #expect(limit.isSpent(try origin("2001:db8:7:ffff::1")))
    #expect(!limit.isSpent(try origin("2001:db8:8::1")))
  }

  @Test func `a few wrong networks of a site lock out none of its others`() throws {
    let limit = limit(Clock())
    let guesser = try origin("2001:db8:7:1::1")
    spend(limit, guesser)
    _ = try guess(limit, from: 2..<100)
    let other = try origin("2001:db8:7:ffff::1")
    #expect(limit.isSpent(guesser) && !limit.isSpent(other))
  }

  @Test func `an address that was right is not held to what its site's strangers do`() throws {
    let limit = limit(Clock(), knownFactor: 10)
    // Not the connection it comes with now.
    limit.right(.tcp(try #require(SocketAddress(host: "2001:db8:7:ffff::1", port: 9))))
    _ = try guess(limit, from: 0..<1000)
    let (known, stranger) = (try origin("2001:db8:7:ffff::2"), try origin("2001:db8:7:fffe::2"))
    #expect(!limit.isSpent(known) && limit.isSpent(stranger))
    // Nor are all who have been right together without a bound.
    for network in 0..<UInt64(1000) {
      limit.right(.tcp(.ipv6(0x2001_0db8_0007_0000 | network, 1, port: 9)))
    }
    let looked = try guess(limit, from: 0..<1000, tries: 1000)
    #expect(looked <= GuessLimit.wrongMax * 10 * GuessLimit.siteFactor)
  }

  @Test func `a secret that is wrong again and again is counted once`() throws {
    let clock = Clock()
    let limit = limit(clock)
    let stale = try origin("203.0.113.7")
    for second in 0..<300 {
      clock.now.store(Int64(second) * Self.second, ordering: .relaxed)
      for monitor in 0..<8 {
        #expect(!limit.isSpent(stale))
        limit.wrong(stale, Guess("token of last year \(monitor)"))
      }
    }
    // At another place it is another guess.
    for place in 0..<GuessLimit.wrongMax { limit.wrong(stale, Guess("same", for: "\(place)")) }
    #expect(limit.isSpent(stale))
  }

  @Test func `a wrong guess is taken back once, and no more than there was`() throws {
    let limit = limit(Clock())
    let many = try origin("2001:db8:7:1::1")
    for _ in 0..<1000 {
      limit.wrong(many)
      limit.forgive(many)
      #expect(!limit.isSpent(many))
    }
    for _ in 0..<10 { limit.forgive(many) }
    spend(limit, many)
    #expect(limit.isSpent(many))
  }

  @Test func `addresses without end make nobody else's guesses forgotten`() throws {
    let limit = limit(Clock())
    let guessers = try ["203.0.113.7", "2001:db8:1::1"].map { try origin($0) }
    for guesser in guessers { spend(limit, guesser) }
    // A /32 of IPv6, a /48 after the other.
    for site in 0..<20_000 {
      limit.wrong(.tcp(.ipv6(0x2A00_1234 << 32 | UInt64(site) << 16, 1, port: 1)))
    }
    #expect(limit.addresses <= GuessLimit.addressesMax)
    for guesser in guessers { #expect(limit.isSpent(guesser)) }
  }

  @Test func `an address that is wrong now and then is never refused`() throws {
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
  func `an IPv4 address or an IPv6 network of 64 bits is one guesser`(
    one: String, other: String, isSame: Bool
  ) throws {
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
