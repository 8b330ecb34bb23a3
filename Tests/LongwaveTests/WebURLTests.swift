import Testing

@testable import Longwave
@testable import LongwaveAPI

@Suite struct WebURLTests {
  @Test(arguments: [
    "http://h/", "https://h:1/", "http://h:65535", "http://h:/", "http://u:p@h:80/x?y#z",
    "http://[::1]/", "http://[::1]:8000/", "http://[fe80::1%25eth0]:8000/x", "HTTP://H:80/",
    "http://u:p@[fe80::1%25lo]/",
  ])
  func `a URL has a host, and perhaps a port`(url: String) {
    #expect(WebURL.isValid(url) && WebURL.problem(with: url) == nil)
  }

  @Test(arguments: [
    "http://h:0/", "http://h:65536/", "http://h:99999", "http://h:x/", "http://h:80:90/",
    "http://h:-1/", "http://[::1]:0/", "http://[::1]:65536/", "http://[::1%25lo]:99999/",
    "http://[fe80::1%25eth0]:0/x", "http://u:p@[::1%25lo]:70000/", "http://[::1]x/",
    "http://[::1/", "http://u:pa/ss@h/",
  ])
  func `a port is 1 to 65535, whatever stands before it`(url: String) {
    #expect(!WebURL.isValid(url))
    #expect(WebURL.problem(with: url)?.hasSuffix("a port is a number from 1 to 65535") == true)
    #expect(throws: InvalidValue.self) { try ValueRule<String>.upstreamURL.parse(url) }
    #expect(throws: InvalidValue.self) { try ValueRule<String>.webURL.parse(url) }
    let proxy = url.replacing("http://", with: "socks5h://")
    #expect(throws: InvalidValue.self) { try ValueRule<String>.proxyURL.parse(proxy) }
  }

  @Test func `a station is stored still whose second upstream cannot be`() throws {
    let json: JSON = [
      "id": "a", "homepage": "http://h:0/",
      "upstream": ["http://h:99999/", "http://h/"],
    ]
    let station = try StationBody.stored(json)
    #expect(station.upstream == ["http://h/"] && station.homepage == nil)
    #expect(throws: RelayError.self) { try StationBody.station(json) }
    #expect(throws: RelayError.self) {
      try StationBody.stored(["id": "a", "upstream": ["http://h:99999/"]])
    }
  }
}
