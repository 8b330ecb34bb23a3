import Reactor
import Testing
import Wire

@testable import Ingest

/// Where a request may be led, as a matter of thought alone.
struct TransferRouteTests {
  private func route(
    _ url: String, lead: AddressScope? = nil, proxy: String? = nil, isPage: Bool = false,
    allowsPrivate: Bool = false
  ) -> TransferRoute {
    var request = TransferRequest(url: url, userAgent: "x", connectTimeout: 1)
    request.lead = lead
    request.proxy = proxy
    request.isPage = isPage
    request.allowsPrivate = allowsPrivate
    return TransferRoute(request) { $0.scope }
  }

  private func address(_ host: String) -> SocketAddress? { SocketAddress(host: host, port: 80) }

  @Test(arguments: ["127.0.0.1", "10.0.0.1", "169.254.169.254", "8.8.8.8"])
  func `a host that the configuration names may be at any address`(_ host: String) {
    var route = route("http://a/")
    #expect(route.admits(address(host)) && route.refusal == nil)
  }

  @Test(arguments: [
    "127.0.0.1", "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "64:ff9b::a00:1",
  ])
  func `a name that leads inwards is refused when the socket is opened`(_ host: String) {
    var list = route("http://a/", lead: .world)
    #expect(!list.admits(address(host)) && list.refusal != nil)
    // Another address of the same name may do.
    #expect(list.admits(address("8.8.8.8")) == true)
    var redirect = route("http://a/")
    #expect(redirect.follow(Array("http://b/".utf8), from: .world) == true)
    #expect(redirect.admits(address(host)) == false)
    var free = route("http://a/", lead: .world, allowsPrivate: true)
    #expect(free.admits(address(host)) == true)
  }

  @Test func `a server inside may lead to addresses of its own scope`() {
    var machine = route("http://a/", lead: .machine)
    #expect(machine.admits(address("127.0.0.1")) && machine.admits(address("10.0.0.1")))
    var site = route("http://a/", lead: .site)
    #expect(site.admits(address("192.168.0.1")) == true)
    #expect(!site.admits(address("127.0.0.1")) && !site.admits(address("169.254.169.254")))
  }

  @Test(arguments: [
    ("http://a/now", "/x", true), ("http://a/now", "https://A/x", true),
    ("http://a:8000/", "http://a:8000/x", true), ("https://a/", "http://a/", false),
    ("http://a/", "http://b/", false), ("http://a/", "http://a:8000/", false),
    ("http://a:8000/", "https://a/", false),
    ("http://127.0.0.1:1000/", "http://127.0.0.1:1001/", false),
  ])
  func `a page stays with its server, which may encrypt`(url: String, location: String, may: Bool) {
    var page = route(url, isPage: true)
    #expect(page.follow(Array(location.utf8), from: .machine) == may)
    #expect((page.refusal?.contains("another server") ?? false) == !may)
  }

  @Test(arguments: [
    "http://127.0.0.1/", "http://localhost/", "http://a.localhost:8000/", "http://0x7f.1/",
    "http://2130706433/", "http://[::1]/", "http://10.1/", "http://169.254.169.254/",
    "http://127%2e0%2e0%2e1/", "http://lo%63alhost/", "http://[::1%25lo]/",
  ])
  func `a request through a proxy is judged by its URL's own host`(_ url: String) {
    var list = route(url, lead: .world, proxy: "http://10.0.0.1:3128")
    #expect(!list.admits(address("10.0.0.1")) && list.refusal != nil)
    var named = route("http://a/", lead: .world, proxy: "http://10.0.0.1:3128")
    #expect(named.admits(address("10.0.0.1")) && named.ignoresProxyExceptions)
    var own = route(url, proxy: "http://10.0.0.1:3128")
    #expect(own.admits(address("10.0.0.1")) && !own.ignoresProxyExceptions)
  }

  @Test func `ports of other services are only for who writes them down`() {
    var own = route("http://a:25/")
    #expect(own.admits(address("8.8.8.8")) == true)
    var list = route("http://a:25/", lead: .world)
    #expect(!list.admits(address("8.8.8.8")) && list.refusal == "port 25 is not for HTTP")
    var redirect = route("http://a/")
    #expect(redirect.follow(Array("http://a:6667/".utf8), from: .world) == false)
  }

  @Test(arguments: [
    (["https_proxy"], ["https"]), (["HTTPS_PROXY"], ["https"]), (["http_proxy"], ["http"]),
    // libcurl does not take this one: a CGI's client could set it.
    (["HTTP_PROXY"], []), (["all_proxy"], ["http", "https"]), (["no_proxy"], []),
  ])
  func `a proxy of the environment's is that of its scheme`(set: [String], schemes: [String]) {
    #expect(TransferRoute.proxied { set.contains($0) } == Set(schemes))
  }

  @Test func `ten redirects are followed and no more`() {
    var route = route("http://a/")
    for n in 0..<10 { #expect(route.follow(Array("/\(n)".utf8), from: .world) == true) }
    #expect(route.follow(Array("/x".utf8), from: .world) == false)
  }

  @Test func `an address that is too long is told with the bound`() {
    var route = route("http://a/")
    let long = "http://b/" + String(repeating: "x", count: 8192)
    #expect(route.follow(Array(long.utf8), from: .world) == false)
    #expect(route.refusal == "redirected to an address of more than 8192 bytes")
    // Three bytes each, as a URL.
    #expect(route.follow(Array(repeating: 0xE9, count: 4000), from: .world) == false)
    #expect(route.refusal == "redirected to an address of more than 8192 bytes")
    #expect(route.follow(Array("ftp://b/".utf8), from: .world) == false)
    #expect(route.refusal == "redirected to what is neither http nor https")
  }

  @Test func `a password stays with its server`() {
    var route = route("http://u:p@a:8000/x")
    #expect(route.follow(Array("http://a:8000/y".utf8), from: .world) == true)
    #expect(route.url == "http://u:p@a:8000/y")
    #expect(route.follow(Array("http://a:8001/y".utf8), from: .world) == true)
    #expect(route.url == "http://a:8001/y")
    #expect(route.follow(Array("http://a:8000/y".utf8), from: .world) == true)
    #expect(route.url == "http://a:8000/y")
  }
}
