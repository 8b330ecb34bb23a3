import Reactor
import Testing
import Wire

@testable import Server

struct IdleConnectionsTests {
  private var table = ConnectionTable()
  private var idle = IdleConnections()

  private mutating func add(_ fd: Int32) -> UInt32 {
    let slot = table.add(fd, origin: .unixSocket, deadline: 0)!
    table[slot].hasPlace = true
    wait(slot)
    return slot
  }

  private mutating func wait(_ slot: UInt32) {
    table[slot].idleSerial &+= 1
    idle.append(table.token(slot), serial: table[slot].idleSerial, in: table)
  }

  @Test
  mutating func `the longest-waiting connection comes first, and an answer begins its wait anew`() {
    let slots = (0..<4).map { add(Int32($0)) }
    wait(slots[0])
    table[slots[2]].state = .answering(.init(method: "GET", target: "/", path: "/"), ahead: [])
    table.remove(slots[3])
    let next = add(9)
    #expect(idle.popLongest(in: table) == slots[1])
    #expect(idle.popLongest(in: table) == slots[0])
    #expect(idle.popLongest(in: table) == next)
    #expect(idle.popLongest(in: table) == nil)
  }

  @Test
  mutating func `void entries of idle connections are forgotten, however often they come and go`() {
    let first = add(1)
    let busy = add(2)
    for _ in 0..<10_000 { wait(busy) }
    #expect(idle.count < 200)
    #expect(idle.longest(in: table) { $0 == busy } == busy)
    #expect(idle.longest(in: table) { $0 == first } == first)
    #expect(idle.longest(in: table) { _ in false } == nil)
  }

  @Test mutating func `connections that went on to listen leave no entry behind`() {
    for fd in 0..<5000 { table[add(Int32(fd))].state = .listening(shard: 0, index: 0) }
    #expect(idle.count < 200)
    let last = add(5000)
    #expect(idle.popLongest(in: table) == last)
  }
}
