import Testing

@testable import Reactor

struct AnonymisedAddressTests {
  @Test(arguments: [
    ("203.0.113.77", "203.0.113.0"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1::"),
    ("::ffff:203.0.113.77", "203.0.113.0"), ("::1", "::"),
  ])
  func `an anonymised address is nobody's`(address: String, shown: String) throws {
    #expect(try #require(SocketAddress(host: address, port: 4711)).anonymised.host == shown)
  }
}
