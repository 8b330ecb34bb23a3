import Reactor
import Testing

@testable import Server

@Suite struct MemoryRoomTests {
  @Test func `an address has only so many long answers waiting for it`() throws {
    let room = MemoryRoom(MemoryRoom.answers)
    let customer = AddressBlock(.tcp(.ipv4(0x0A00_0001, port: 1)))
    let other = AddressBlock(.tcp(.ipv4(0x0A00_0002, port: 1)))
    var places = try (0..<8).map { _ in try room.reserve(8 << 20, for: customer) }
    #expect(throws: MemoryRoom.Refusal.own) { try room.reserve(8 << 20, for: customer) }
    #expect(throws: Never.self) { try room.reserve(100 << 20, for: other) }
    #expect(throws: Never.self) { try room.reserve(8 << 20, for: nil) }
    places.removeLast()
    places.append(try room.reserve(8 << 20, for: customer))
    #expect(places.count == 8)
  }

  @Test func `a customer with nothing waiting finds room where others have much`() throws {
    let room = MemoryRoom(MemoryRoom.answers)
    func customer(_ number: UInt32) -> AddressBlock? {
      AddressBlock(.tcp(.ipv4(0x0A00_0000 + number, port: 1)))
    }
    var places: [MemoryRoom.Place] = []
    for number in UInt32(1)...4 {
      for _ in 0..<8 { places.append(try room.reserve(8 << 20, for: customer(number))) }
    }
    #expect(room.isCrowded)
    for number in UInt32(5)...200 {
      for _ in 0..<8 {
        if let place = try? room.reserve(8 << 20, for: customer(number)) { places.append(place) }
      }
    }
    // Four have eight each; of the others each has one, up to the bound for all.
    #expect(places.count == MemoryRoom.answers.withFirsts / (8 << 20))
    #expect(throws: MemoryRoom.Refusal.full) { try room.reserve(8 << 20, for: customer(300)) }
    places.removeLast(2)
    #expect(throws: MemoryRoom.Refusal.full) { try room.reserve(8 << 20, for: customer(6)) }
    #expect(throws: Never.self) { try room.reserve(8 << 20, for: customer(301)) }
  }

  private func customer(_ host: String) throws -> AddressBlock {
    let address = try #require(SocketAddress(host: host, port: 1))
    return try #require(AddressBlock(.tcp(address)))
  }

  @Test(arguments: [MemoryRoom.answers, MemoryRoom.bodies])
  func `a /48 has twice what an address has, and leaves room for everybody else`(
    limits: MemoryRoom.Limits
  ) throws {
    let room = MemoryRoom(limits)
    let each = limits.ofAddress / 8
    var places: [MemoryRoom.Place] = []
    for number in 0..<200 {
      let guest = try customer("2001:db8:1:\(String(number, radix: 16))::1")
      if let place = try? room.reserve(each, for: guest) { places.append(place) }
    }
    #expect(places.count == 16 && room.bytes == limits.ofAddress * 2)
    #expect(throws: MemoryRoom.Refusal.own) {
      try room.reserve(each, for: customer("2001:db8:1:ffff::1"))
    }
    for host in ["203.0.113.5", "2001:db8:2::1"] {
      #expect(throws: Never.self) { try room.reserve(limits.ofAddress, for: customer(host)) }
    }
    places.removeAll()
    #expect(room.bytes == 0)
  }

  @Test func `a page that many take is counted once, as long as one of them takes it`() throws {
    let room = MemoryRoom(MemoryRoom.answers)
    let page = MemoryRoom.SharedPage()
    var places = try (0..<200).map { number in
      try room.reserve(8 << 20, for: customer("203.0.113.\(number)"), of: page)
    }
    #expect(room.bytes == 8 << 20)
    while places.count > 1 {
      places.removeFirst()
      #expect(room.bytes == 8 << 20)
    }
    // It is the last one's now.
    let last = try customer("203.0.113.199")
    #expect(throws: MemoryRoom.Refusal.own) { try room.reserve(60 << 20, for: last) }
    places.removeAll()
    #expect(room.bytes == 0)
    #expect(throws: Never.self) { try room.reserve(60 << 20, for: last) }
  }
}
