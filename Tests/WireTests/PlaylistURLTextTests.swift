import Testing

@testable import Wire

struct PlaylistURLTextTests {
  // RFC 3986 sections 5.4.1 and 5.4.2.
  @Test(arguments: [
    ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"),
    ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g"),
    ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
    ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"),
    ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"),
    (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
    ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
    ("../../", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
    ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
    ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
    ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
    ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
    ("http:g", "http:g"),
  ])
  func `references mean what RFC 3986 says`(reference: String, target: String) {
    #expect(URLText.resolve(reference, against: "http://a/b/c/d;p?q") == target)
  }

  @Test(arguments: [
    ("x.mp3", "http://a", "http://a/x.mp3"), ("x.mp3", "http://a?q", "http://a/x.mp3"),
    ("//b/../x", "https://a/", "https://b/x"), ("http://b/a/../c", "http://a/", "http://b/c"),
    ("x", "http://a//b//", "http://a//b//x"), ("../x", "http://a/b//c", "http://a/b/x"),
    ("x", "", "x"), ("\u{301}/../x", "http://a/b/c", "http://a/b/x"),
  ])
  func `references against unusual bases mean what RFC 3986 says`(
    reference: String, base: String, target: String
  ) {
    #expect(URLText.resolve(reference, against: base) == target)
  }

  @Test(arguments: [
    ("http://u:p@h:8000/x?y=u@v#f", "http://h:8000/x?y=u@v#f", "http://h:8000/x"),
    ("http://u@h", "http://h", "http://h"), ("http://u:p@q@h/x", "http://h/x", "http://h/x"),
    ("http://h/a@b?key=secret", "http://h/a@b?key=secret", "http://h/a@b"),
    ("//u:p@h/x", "//h/x", "//h/x"), ("u:p@h/x?k", "h/x?k", "h/x"), ("u@h", "h", "h"),
    ("/path?k", "/path?k", "/path"), ("", "", ""), ("?", "?", ""),
    ("http://[::1]:80/x", "http://[::1]:80/x", "http://[::1]:80/x"),
    // Passwords that nobody has escaped.
    ("http://u:p/w@h/x", "http://…/w@h/x", "http://…/…"),
    ("http://u:1/w@h/x", "http://u:1/w@h/x", "http://…/…"),
    ("http:/u:p@h/x", "http:/u:p@h/x", "http:/…"), ("http: //u:p@h/x", "http: //u:p@h/x", "…"),
    ("http;//u:p@h/x", "http;//u:p@h/x", "…"), ("http//u:p@h/x", "http//u:p@h/x", "…"),
    ("http:///u:p@h/x", "http:///u:p@h/x", "http://…/…"),
    ("url http://u:p@h/x", "url http://u:p@h/x", "…"),
    ("<http://u:p@h/x>", "<http://u:p@h/x>", "…"),
    ("u:p/w@h/x", "u:p/w@h/x", "…"), ("/srv/a@b.mp3", "/srv/a@b.mp3", "/srv/a@b.mp3"),
    ("http://u:p?w@h/x", "http://…?w@h/x", "http://…"),
  ])
  func `credentials and secrets are taken out`(
    url: String, withoutCredentials: String, withoutSecrets: String
  ) {
    #expect(URLText.withoutCredentials(url) == withoutCredentials)
    #expect(URLText.withoutSecrets(url) == withoutSecrets)
  }

  private static func decoded(_ text: String) -> String? {
    PercentEncoding.decoded(Array(text.utf8)[...]).flatMap { String(validating: $0, as: UTF8.self) }
  }

  @Test(arguments: [
    ("a%20b", "a b"), ("caf%C3%a9", "café"), ("a+b", "a+b"), ("", ""), ("%25", "%"),
  ])
  func `escapes are decoded`(text: String, decoded: String) {
    #expect(Self.decoded(text) == decoded)
  }

  @Test(arguments: ["%", "%4", "%zz", "a%", "%FF", "%C3", "%+1"])
  func `a broken escape or one that is not UTF-8 is refused`(text: String) {
    #expect(Self.decoded(text) == nil)
  }

  @Test func `encoded text is decoded to what it was`() {
    let text = "Jazz & Blues/100% – café?#\u{0}"
    let encoded = URLText.percentEncoded(text)
    #expect(encoded == "Jazz%20%26%20Blues%2F100%25%20%E2%80%93%20caf%C3%A9%3F%23%00")
    #expect(Self.decoded(encoded) == text)
  }

  @Test(
    arguments: [
      ("http://H.example/x", "http", "h.example", 80), ("HTTPS://h./", "https", "h", 443),
      ("http://u:p@h:8000?x", "http", "h", 8000), ("icy://h:1/", "http", "h", 1),
      ("http://[::1]:99/x", "http", "::1", 99), ("http://h:/x", "http", "h", 80),
    ] as [(String, String, String, UInt16)])
  func `a URL's origin is its scheme, host and port`(
    url: String, scheme: String, host: String, port: UInt16
  ) throws {
    let origin = try #require(URLText.origin(url))
    #expect(origin.scheme == scheme && origin.host == host && origin.port == port)
  }

  @Test(arguments: [
    "", "/x", "ftp://h/", "http:///x", "http://:80/", "http://h:99999/", "http://h:x/",
  ])
  func `a URL that leads to no server has no origin`(url: String) {
    #expect(URLText.origin(url) == nil)
  }

  @Test(
    arguments: [
      ("/b", "http://u:p@h/b"), ("http://h/b", "http://h/b"), ("//o/b#f", "http://o/b"),
      (" a b\u{E9} ", "http://u:p@h/a%20b%C3%A9"), ("file:///etc/passwd", nil), ("", nil),
      ("javascript:x", nil), ("HTTPS://o/", "HTTPS://o/"), ("http:///x", nil),
      ("/" + String(repeating: "x", count: 9000), nil),
    ] as [(String, String?)])
  func `a redirect leads to a web address or nowhere`(location: String, url: String?) {
    #expect((try? URLText.redirect(to: Array(location.utf8), from: "http://u:p@h/a")) == url)
  }

  @Test func `a password goes along where it is wanted`() {
    #expect(URLText.withCredentials(of: "http://u:p@h/a", "http://h/b") == "http://u:p@h/b")
    #expect(URLText.withCredentials(of: "http://u:p@h/a", "http://v@h/b") == "http://v@h/b")
    #expect(URLText.withCredentials(of: "http://h/a", "http://h/b") == "http://h/b")
  }
}
