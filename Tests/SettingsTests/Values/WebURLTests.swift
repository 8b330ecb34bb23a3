import Testing

@testable import Settings

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

  @Test(arguments: [
    (" http://h/a b/c?d e#f g ", "http://h/a%20b/c?d%20e#f%20g"),
    ("http://h/ü b", "http://h/ü%20b"),
    ("  http://h/ ", "http://h/"), ("http://h/a%20b", "http://h/a%20b"),
  ])
  func `blanks around a URL are dropped, and those in it escaped`(text: String, url: String) throws
  {
    #expect(try ValueRule<String>.upstreamURL.parse(text) == url)
    #expect(try ValueRule<String>.webURL.parse(text) == url)
    #expect(try ValueRule<String>.upstreamURL.parse(text.replacing("http:", with: "icy:")) == url)
  }

  @Test(arguments: [
    ("http://h x/", "has a blank in its host, or a control character; leave it out"),
    ("http://h/a\tb", "has a blank in its host, or a control character; leave it out"),
    ("http://h/" + String(repeating: "x", count: 4096), "has 4105 bytes; at most 4096 are allowed"),
  ])
  func `a URL is refused for what is wrong with it`(text: String, reason: String) {
    for rule in [ValueRule<String>.upstreamURL, .webURL] {
      #expect { try rule.parse(text) } throws: { error in
        (error as? InvalidValue)?.message.hasSuffix(reason) == true
      }
    }
  }

  @Test func `header lines behind an upstream's URL are refused, with where they belong`() throws {
    let url = "http://u:pw@h/a|User-Agent=VLC%2F3.0&Cookie=secret"
    #expect { try ValueRule<String>.upstreamURL.parse(url) } throws: { error in
      (error as? InvalidValue)?.message
        == "\"http://h/a\" has header lines behind a bar, as Kodi's lists do; "
        + "write the URL alone, and the lines as user-agent and request-headers"
    }
    for fine in ["http://h/a|b", "http://h/?a=b|c=d", "http://h/a|seekable=0"] {
      #expect(try ValueRule<String>.upstreamURL.parse(fine) == fine)
    }
    // An older version took all of it for the path.
    let stored = try StationBody.stored(["id": "a", "upstream": .array([.string(url)])])
    #expect(stored.upstream == ["http://u:pw@h/a%7CUser-Agent=VLC%2F3.0&Cookie=secret"])
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
