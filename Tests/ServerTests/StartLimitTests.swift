import Reactor
import Testing

@testable import Server

@Suite struct StartLimitTests {
  private let minute = StartLimit.nanoseconds

  private func limit(_ max: Int) -> StartLimit {
    let limit = StartLimit()
    limit.setMax(max)
    return limit
  }

  private func four(_ address: UInt32) -> Peer { .tcp(.ipv4(address, port: 1)) }

  private func six(_ high: UInt64, _ low: UInt64 = 1) -> Peer {
    .tcp(.ipv6(high, low, port: 1))
  }

  @Test func `an address has its starts, and has them again a minute after the first`() {
    let limit = limit(3)
    for _ in 0..<3 { #expect(limit.reserve(four(1), now: 0)) }
    #expect(!limit.reserve(four(1), now: minute - 1))
    #expect(limit.reserve(four(2), now: minute - 1))
    #expect(limit.reserve(four(1), now: minute))
  }

  @Test func `a limit of zero starts is none, and the own socket has no limit`() {
    let none = limit(0)
    for _ in 0..<1000 { #expect(none.reserve(four(1), now: 0)) }
    let one = limit(1)
    for _ in 0..<10 { #expect(one.reserve(.unixSocket, now: 0)) }
  }

  @Test func `an IPv6 network of 64 bits is one customer, and a provider's a few`() {
    let limit = limit(2)
    #expect(limit.reserve(six(0x2001_0db8_0000_0001, 1), now: 0))
    #expect(limit.reserve(six(0x2001_0db8_0000_0001, 2), now: 0))
    #expect(!limit.reserve(six(0x2001_0db8_0000_0001, 3), now: 0))
    let taken = (2..<0x1_0000).count {
      limit.reserve(six(0x2001_0db8_0000_0000 | UInt64($0)), now: 0)
    }
    #expect(taken == 14)
    #expect(limit.reserve(six(0x2001_0db8_0001_0000), now: 0))
  }

  @Test func `an address of IPv4 in IPv6 is itself`() {
    let limit = limit(1)
    #expect(limit.reserve(four(0x7f00_0001), now: 0))
    #expect(!limit.reserve(six(0, 0xffff_7f00_0001), now: 0))
  }

  @Test func `addresses that have started are remembered within a bound`() {
    let limit = limit(1)
    for address in 0..<100_000 { _ = limit.reserve(four(UInt32(address)), now: Int64(address)) }
    #expect(limit.addresses <= 8192)
    // The newest are not forgotten.
    #expect(!limit.reserve(four(99_999), now: 100_000))
  }
}
