import Reactor
import Testing

struct AddressRangeTests {
  @Test(arguments: [
    ("192.0.2.0/24", "192.0.2.255", true), ("192.0.2.0/24", "192.0.3.0", false),
    ("192.0.2.77/24", "192.0.2.1", true), ("192.0.2.7", "192.0.2.7", true),
    ("192.0.2.7", "192.0.2.8", false), ("0.0.0.0/0", "255.255.255.255", true),
    ("128.0.0.0/1", "127.255.255.255", false), ("10.0.0.0/8", "::ffff:10.1.2.3", true),
    ("0.0.0.0/0", "2001:db8::1", false), ("2001:db8::/32", "2001:db8:ffff::1", true),
    ("2001:db8::/32", "2001:db9::", false), ("2001:db8::/64", "2001:db8::ffff:1", true),
    ("2001:db8::/96", "2001:db8::1:0:0", false), ("2001:db8::1", "2001:db8::1", true),
    ("::/0", "::1", true), ("::/0", "10.0.0.1", false), ("fe80::/10", "febf::1", true),
    ("2001:db8:0:0:8000::/65", "2001:db8::7fff:0:0:0", false),
  ])
  func `an address range holds the addresses that begin as it does`(
    range: String, host: String, isInside: Bool
  ) throws {
    let address = try #require(SocketAddress(host: host, port: 80))
    #expect(try #require(AddressRange(range)).contains(address) == isInside)
  }

  @Test(arguments: [
    ("::ffff:192.0.2.3", "192.0.2.3/32"), ("::FFFF:c000:203/128", "192.0.2.3/32"),
    ("[::ffff:192.0.2.3]", "192.0.2.3/32"), ("0:0:0:0:0:ffff:192.0.2.77/120", "192.0.2.0/24"),
    ("::ffff:0:0/96", "0.0.0.0/0"), ("::ffff:192.0.2.3/95", "::fffe:0:0/95"),
    ("::ffff:192.0.2.3/0", "::/0"),
  ])
  func `a range of IPv4 written inside IPv6 is of IPv4`(text: String, written: String) throws {
    #expect(try #require(AddressRange(text)).description == written)
    #expect(AddressRange(text) == AddressRange(written))
    #expect(AddressRange("::ffff:192.0.2.3/129") == nil)
  }

  @Test(arguments: [
    "::ffff:192.0.2.3", "::ffff:c000:203", "[::ffff:192.0.2.3]", "0:0:0:0:0:FFFF:c000:203",
  ])
  func `an address of IPv4 written inside IPv6 is of IPv4`(host: String) {
    #expect(SocketAddress(host: host, port: 80) == .ipv4(0xC000_0203, port: 80))
    #expect(SocketAddress(host: "::fffe:192.0.2.3", port: 80)?.host == "::fffe:c000:203")
  }

  @Test(arguments: [
    "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/ 8", "10.0.0.0/8/8",
    "10.0.0/8", "localhost", "localhost/8", "radio.example", "::/129", "2001:db8::/+1",
    "10.0.0.0/８",
  ])
  func `a malformed address range is refused`(text: String) {
    #expect(AddressRange(text) == nil)
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.0.0.0/8"), ("10.1.2.3", "10.1.2.3/32"), ("::1", "::1/128"),
    ("10.1.2.3/8", "10.0.0.0/8"), ("10.1.2.3/0", "0.0.0.0/0"), ("10.1.2.3/31", "10.1.2.2/31"),
    ("2001:db8:1:2:3:4:5:6/32", "2001:db8::/32"), ("2001:db8::ffff/0", "::/0"),
    ("2001:db8:1:2:ffff::1/65", "2001:db8:1:2:8000::/65"), ("2001:db8::1/64", "2001:db8::/64"),
  ])
  func `a range is written as it is read`(text: String, written: String) {
    #expect(AddressRange(text)?.description == written)
    #expect(AddressRange(written) == AddressRange(text))
    let isOne = written.hasSuffix("/32") && !written.contains(":") || written.hasSuffix("/128")
    #expect(AddressRange(text)?.text == (isOne ? text : written))
  }
}
