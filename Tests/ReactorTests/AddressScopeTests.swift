import Testing

@testable import Reactor

struct AddressScopeTests {
  @Test(
    arguments: [
      ("8.8.8.8", .world), ("1.0.0.1", .world), ("172.15.0.1", .world), ("172.32.0.1", .world),
      ("100.63.0.1", .world), ("100.128.0.1", .world), ("223.255.255.1", .world),
      ("2606:4700::1", .world), ("64:ff9b::8.8.8.8", .world), ("2002:808:808::1", .world),
      ("::ffff:8.8.8.8", .world),
      ("10.1.2.3", .site), ("172.16.0.1", .site), ("172.31.255.255", .site), ("192.168.0.1", .site),
      ("100.64.0.1", .site), ("100.127.255.255", .site), ("192.0.0.8", .site),
      ("198.19.0.1", .site),
      ("fc00::1", .site), ("fdff::1", .site), ("fec0::1", .site), ("::ffff:10.0.0.1", .site),
      ("64:ff9b::192.168.0.1", .site), ("64:ff9b:1::1", .site), ("2002:a00:1::1", .site),
      ("2001:0:1::1", .site), ("::10.0.0.1", .site), ("::ffff:0:10.0.0.1", .site),
      ("2606::5efe:10.0.0.1", .site),
      ("169.254.169.254", .link), ("fe80::1", .link), ("febf::1", .link),
      ("::ffff:169.254.169.254", .link), ("64:ff9b::169.254.169.254", .link),
      ("127.0.0.1", .machine), ("127.255.255.254", .machine), ("0.0.0.0", .machine),
      ("::1", .machine), ("::", .machine), ("::ffff:127.0.0.1", .machine),
      ("64:ff9b::127.0.0.1", .machine), ("2002:7f00:1::", .machine), ("::127.0.0.1", .machine),
      ("0.1.2.3", .nowhere), ("224.0.0.1", .nowhere), ("240.0.0.1", .nowhere),
      ("255.255.255.255", .nowhere), ("ff02::1", .nowhere), ("::ffff:224.0.0.1", .nowhere),
    ] as [(String, AddressScope)])
  func `an address says from where it can be reached`(_ text: String, _ scope: AddressScope) throws
  {
    let address = try #require(SocketAddress(host: text, port: 80))
    #expect(address.scope == scope)
  }

  @Test func `an address of this machine's own is not the world's to lead to`() throws {
    let own = SocketAddress.ofInterfaces
    #expect(own.contains { $0.host == "127.0.0.1" })
    for address in own { #expect(address.scopeFromHere != AddressScope.world) }
    let four = try #require(SocketAddress(host: "198.41.1.1", port: 0))
    for text in ["198.41.1.1", "::ffff:198.41.1.1", "64:ff9b::198.41.1.1", "2002:c629:101::"] {
      let address = try #require(SocketAddress(host: text, port: 80))
      #expect(address.scope(own: [four]) == .machine && address.scope(own: []) == .world)
    }
    let other = try #require(SocketAddress(host: "198.51.100.200", port: 80))
    #expect(other.scopeFromHere == AddressScope.world)
  }

  @Test func `an address may lead outwards or to its own scope, never inwards`() {
    let all: [AddressScope] = [.world, .site, .link, .machine, .nowhere]
    for scope in all { #expect(scope.mayLead(to: .world) && !scope.mayLead(to: .nowhere)) }
    for inner in [AddressScope.site, .link, .machine] {
      #expect(!AddressScope.world.mayLead(to: inner) && inner.mayLead(to: inner))
      #expect(AddressScope.machine.mayLead(to: inner))
    }
    #expect(!AddressScope.site.mayLead(to: .link) && !AddressScope.site.mayLead(to: .machine))
    #expect(!AddressScope.link.mayLead(to: .site) && !AddressScope.link.mayLead(to: .machine))
  }
}
