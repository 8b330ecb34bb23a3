import Reactor
import Testing

@testable import Server

@Suite struct AddressTurnsTests {
  private func four(_ address: UInt32) -> AddressBlock? {
    AddressBlock(.tcp(.ipv4(address, port: 1)))
  }

  private func six(_ high: UInt64) -> AddressBlock? {
    AddressBlock(.tcp(.ipv6(high, 1, port: 1)))
  }

  private func all(_ turns: inout AddressTurns) -> [UInt64] {
    var tokens: [UInt64] = []
    while let token = turns.next() { tokens.append(token) }
    return tokens
  }

  @Test func `an address has one turn in a round, however many it is`() {
    var turns = AddressTurns()
    for token in 0..<1000 { turns.wait(UInt64(token), for: four(1)) }
    turns.wait(5000, for: four(2))
    turns.wait(5001, for: four(2))
    turns.wait(6000, for: nil)
    #expect((0..<6).map { _ in turns.next() } == [0, 5000, 6000, 1, 5001, 2])
    #expect(all(&turns) == (3..<1000).map { UInt64($0) })
    #expect(turns.held == 0)
  }

  @Test func `the IPv6 addresses of a /48 have one turn together`() {
    var turns = AddressTurns()
    for block in 0..<200 {
      turns.wait(UInt64(block), for: six(0x2001_0db8_0001_0000 | UInt64(block)))
    }
    turns.wait(900, for: six(0x2001_0db8_0002_0000))
    turns.wait(901, for: four(1))
    #expect((0..<4).map { _ in turns.next() } == [0, 900, 901, 1])
  }

  @Test func `a waiter that comes again stands behind those who wait`() {
    var turns = AddressTurns()
    turns.wait(1, for: four(1))
    turns.wait(2, for: four(2))
    #expect(turns.next() == 1)
    turns.wait(1, for: four(1))
    #expect(turns.next() == 2)
    #expect(turns.next() == 1)
    #expect(turns.next() == nil)
  }

  @Test func `a waiter that leaves has no turn, and comes again as one`() {
    var turns = AddressTurns()
    for token in 1...4 { turns.wait(UInt64(token), for: four(1)) }
    turns.leave(1, of: four(1))
    turns.leave(3, of: four(1))
    turns.wait(3, for: four(1))
    #expect(all(&turns) == [2, 3, 4])
    // The only one of its address leaves and comes again: still one turn in a round.
    turns.wait(1, for: four(1))
    turns.leave(1, of: four(1))
    for token in 1...2 { turns.wait(UInt64(token), for: four(1)) }
    for token in 7...8 { turns.wait(UInt64(token), for: four(2)) }
    #expect(all(&turns) == [1, 7, 2, 8])
  }

  @Test func `waiters that come and go leave nothing behind`() {
    var turns = AddressTurns()
    turns.wait(0, for: four(1))
    for token in 1..<100_000 {
      turns.wait(UInt64(token), for: four(1))
      turns.leave(UInt64(token), of: four(1))
    }
    #expect(turns.held < 10)
    #expect(all(&turns) == [0])
  }
}
