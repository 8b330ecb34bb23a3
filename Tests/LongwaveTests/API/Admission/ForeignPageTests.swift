import Testing
import Wire

@testable import Longwave
@testable import LongwaveAPI

@Suite struct ForeignPageTests {
  private func isForeign(
    _ fields: [(name: String, value: String)], method: String = "POST",
    host: String = "radio.test:8000", base: String = "http://radio.test:8000"
  ) -> Bool {
    ForeignPage.isForeign(
      HTTPRequestHead(
        method: method, target: "/x", path: "/x", fields: HTTPFields(fields), host: host),
      base: base)
  }

  @Test(arguments: [
    ("http://radio.test:8000", false), ("https://radio.test:8000", false),
    ("HTTP://Radio.Test:8000", false), ("http://radio.test", true),
    ("http://radio.test:8001", true), ("http://evil.test:8000", true),
    ("http://radio.test:8000.evil.test", true), ("http://radio.test:8000@evil.test", true),
    ("http://evil.test/radio.test:8000", true), ("null", true), ("", true), ("file://", true),
  ])
  func `an Origin is ours if its host is`(origin: String, isForeign: Bool) {
    #expect(self.isForeign([(name: "Origin", value: origin)]) == isForeign)
  }

  @Test func `the public URL is ours as well, and a port that goes without saying is left out`() {
    let origin = [(name: "Origin", value: "https://radio.example")]
    #expect(!isForeign(origin, base: "https://radio.example"))
    #expect(!isForeign(origin, base: "https://radio.example:443"))
    #expect(!isForeign(origin, host: "radio.example", base: "http://10.0.0.1:8000"))
    #expect(isForeign(origin))
  }

  @Test(arguments: [
    ("same-origin", false), ("none", false), ("cross-site", true), ("same-site", true),
    ("Cross-Site", true), ("something-new", true), ("", true),
  ])
  func `a browser's own word on where a page is from counts`(site: String, isForeign: Bool) {
    for method in ["GET", "POST"] {
      #expect(self.isForeign([(name: "Sec-Fetch-Site", value: site)], method: method) == isForeign)
    }
  }

  @Test func `a page that says where it is by Referer is looked at, and one that hides it refused`()
  {
    let browser = [
      (name: "User-Agent", value: "Mozilla/5.0 (X11; Linux)"),
      (name: "Accept-Language", value: "de"),
    ]
    #expect(isForeign([(name: "Referer", value: "http://evil.test/page")], method: "GET"))
    #expect(!isForeign([(name: "Referer", value: "http://radio.test:8000/admin")], method: "GET"))
    for method in ["GET", "HEAD"] { #expect(isForeign(browser, method: method)) }
    #expect(
      !isForeign(browser + [(name: "Referer", value: "http://radio.test:8000/")], method: "GET"))
  }

  @Test func `programs that name no page are not taken for foreign pages`() {
    #expect(!isForeign([]) && !isForeign([], method: "GET"))
    #expect(!isForeign([(name: "User-Agent", value: "Mozilla/5.0 (encoder)")], method: "GET"))
    #expect(!isForeign([(name: "User-Agent", value: "curl/8")], method: "DELETE"))
  }
}
