import Logging
import Reactor
import Server
import Synchronization
import Testing

@testable import Longwave

@Suite struct GuessLimitTests {
  private func origin(_ host: String) throws -> APIRequest.Origin {
    .tcp(try #require(SocketAddress(host: host, port: 1)))
  }

  /// A clock that stands until it is set.
  private final class Clock: Sendable {
    let now = Atomic<Int64>(0)
  }

  private func limit(_ clock: Clock) -> GuessLimit {
    GuessLimit(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
      clock.now.load(ordering: .relaxed)
    }
  }

  @Test func `an address that is wrong too often is not listened to until its minute is over`()
    throws
  {
    let clock = Clock()
    let limit = limit(clock)
    let (guesser, other) = (try origin("203.0.113.7"), try origin("203.0.113.8"))
    for _ in 0..<GuessLimit.wrongMax {
      #expect(!limit.isSpent(guesser))
      limit.wrong(guesser)
    }
    #expect(limit.isSpent(guesser) && !limit.isSpent(other))
    clock.now.store(GuessLimit.nanoseconds - 1, ordering: .relaxed)
    #expect(limit.isSpent(guesser))
    clock.now.store(GuessLimit.nanoseconds, ordering: .relaxed)
    #expect(!limit.isSpent(guesser))
    for _ in 1..<GuessLimit.wrongMax { limit.wrong(guesser) }
    #expect(!limit.isSpent(guesser))
    limit.wrong(guesser)
    #expect(limit.isSpent(guesser) && limit.wrongPasswords == 2 * UInt64(GuessLimit.wrongMax))
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
