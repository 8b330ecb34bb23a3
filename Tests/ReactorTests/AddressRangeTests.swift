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
  func `a range holds what begins as it does`(range: String, host: String, isInside: Bool) throws {
    let address = try #require(SocketAddress(host: host, port: 80))
    #expect(try #require(AddressRange(range)).contains(address) == isInside)
  }

  @Test(arguments: [
    "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/ 8", "10.0.0.0/8/8",
    "10.0.0/8", "localhost", "localhost/8", "radio.example", "::/129", "2001:db8::/+1",
    "10.0.0.0/８",
  ])
  func `what is no range is none`(text: String) {
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
