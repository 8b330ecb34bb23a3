import TestSupport
import Testing

@testable import Settings

/// What an operator gives the pages: logo, icon, colour, links, and a text for the foot.
@Suite struct WebHouseTests {
  private static func web(_ keys: String) throws -> WebSettings {
    try Configuration.parse(yaml: "web:\n  \(keys)\n", file: "x").web
  }

  private static func complaint(_ keys: String) -> String? {
    do throws(ConfigurationError) {
      _ = try Configuration.parse(yaml: "web:\n  \(keys)\n", file: "x")
      return nil
    } catch {
      return error.description
    }
  }

  /// The beginning of a PNG of 300 × 200 pixels.
  private static let png: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
    + [0, 0, 1, 44, 0, 0, 0, 200, 8, 6, 0, 0, 0]

  @Test func `pictures are read with the configuration, and named by what they hold`() throws {
    let folder = TemporaryDirectory()
    let png = folder.write("a.png", Self.png)
    let svg = folder.write(
      "b", Array("<?xml version=\"1.0\"?>\n<!-- x -->\n<svg xmlns='x'></svg>".utf8))
    let web = try Self.web("logo: \(png)\n  icon: \(svg)")
    let (logo, icon) = (try #require(web.logo), try #require(web.icon))
    #expect(logo.mediaType == "image/png" && logo.bytes == Self.png && logo.ending == "png")
    #expect(logo.size.map { [$0.width, $0.height] } == [300, 200])
    #expect(icon.mediaType == "image/svg+xml" && icon.ending == "svg" && icon.size == nil)
    // The same path with other content is another picture, which a reload tells.
    folder.write("a.png", Self.png + [1])
    let other = try #require(try Self.web("logo: \(png)").logo)
    #expect(other != logo && other.version != logo.version)
    #expect(!String(describing: web).contains("137, 80"))
  }

  @Test func `what is no picture is refused by name`() throws {
    let folder = TemporaryDirectory()
    let text = folder.write("a.txt", Array("hello <svg".utf8))
    let jpeg = folder.write("a.jpg", [0xFF, 0xD8, 0xFF, 0xE0])
    let large = folder.write("large.png", Self.png + [UInt8](repeating: 0, count: 1 << 20))
    for (keys, part) in [
      ("logo: \(text)", "is not a picture"), ("icon: \(jpeg)", "is not a PNG or SVG picture"),
      ("logo: \(large)", "is larger than 1 MiB"), ("logo: \(folder.path)", "is a folder"),
      ("logo: \(folder.path)/none.png", "no such file"), ("logo: /dev/zero", "is not a file"),
      ("logo: logo.png", "is not a path that begins with a slash"),
      ("logo: https://example.org/a.png", "is not a path that begins with a slash"),
    ] {
      let told = try #require(Self.complaint(keys), "\(keys)")
      #expect(told.hasPrefix("x:2: web.") && told.contains(part), "\(told)")
    }
    #expect(Self.complaint("logo: \(jpeg)") == nil)
  }

  @Test(arguments: [
    ("\"#c0392b\"", "#c0392b"), ("\"#FFF\"", "#ffffff"), ("\"#0a0\"", "#00aa00"), ("red", nil),
    ("\"#12345\"", nil), ("\"c0392b\"", nil), ("\"#c0392b; x: y\"", nil), ("\"#+1+2+3\"", nil),
    ("\"#é9392b\"", nil),
  ])
  func `a colour is six digits or three`(text: String, colour: String?) throws {
    #expect((try? Self.web("colour: \(text)").colour)?.description == colour)
    if colour == nil {
      #expect(Self.complaint("colour: \(text)")?.contains("is no colour; write") == true)
    }
  }

  @Test(arguments: [
    ("https://example.org/imprint", true), ("/imprint", true), ("/a?b=c#d", true),
    ("http://example.org", true), ("//example.org/", false), ("/\\\\example.org", false),
    ("javascript:alert(1)", false), ("data:text/html,x", false), ("mailto:a@example.org", true),
    ("mailto:", false),
    ("mailto:a b@example.org", false), ("mailto:<a@example.org>", true),
    ("imprint", false), ("/a b", false), ("", false),
  ])
  func `a link leads to a page and runs nothing`(url: String, isRight: Bool) {
    let told = Self.complaint("links: [{name: Imprint, url: \"\(url)\"}]")
    #expect((told == nil) == isRight, "\(told ?? "")")
    #expect(told?.contains("web.links[0].url") ?? true)
  }

  @Test(arguments: ["imprint", "tel:+4712345678", "//example.org", "/a b"])
  func `what no link can be is told with all that one can be`(url: String) throws {
    let told = try #require(Self.complaint("links: [{name: Imprint, url: \"\(url)\"}]"))
    #expect(
      told.contains("http:// or https://, a path such as /imprint, or mailto: with an address"),
      "\(told)")
  }

  @Test(arguments: ["\"\"", "\" \""]) func `pages have a name`(title: String) throws {
    let told = try #require(Self.complaint("title: \(title)"))
    #expect(told == "x:2: web.title: is empty; write the name that the pages bear")
  }

  @Test func `links keep their order, have names, and are sixteen at most`() throws {
    let links = (1...16).map { "{name: \"N \($0)\", url: /\($0)}" }
    let web = try Self.web("links: [\(links.joined(separator: ", "))]\n  footer: © Radio")
    #expect(web.links.map(\.name) == (1...16).map { "N \($0)" })
    #expect(web.links.map(\.url) == (1...16).map { "/\($0)" } && web.footer == "© Radio")
    let more = Self.complaint("links: [\((links + ["{name: a, url: /}"]).joined(separator: ", "))]")
    #expect(more?.contains("has 17 entries; write at most 16") == true)
    #expect(Self.complaint("links: [{name: \" \", url: /}]")?.contains("is empty") == true)
    #expect(Self.complaint("links: [{url: /}]")?.contains("links[0].name: is missing") == true)
    #expect(
      Self.complaint("links: {name: a, url: /}")?.contains("begin each entry with - name:") == true)
    #expect(Self.complaint("color: \"#123\"")?.contains("did you mean colour?") == true)
  }
}
