import Server
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave
@testable import LongwaveAPI
@testable import Settings

/// Pages that bear what their operator gave them.
@Suite struct HousePageTests {
  private static let hostile = "<b>\" onclick=\"x"

  private static var house: WebSettings {
    var house = WebSettings()
    house.title = "Radio Example"
    house.logo = WebPicture(path: "/l", mediaType: "image/png", bytes: [1, 2, 3])
    house.icon = WebPicture(
      path: "/i", mediaType: WebPicture.svgType, bytes: Array("<svg/>".utf8))
    house.colour = WebColour("#c0392b")
    var (imprint, privacy) = (WebLink(), WebLink())
    (imprint.name, imprint.url) = ("Imprint", "https://example.org/?a=1&b=2")
    (privacy.name, privacy.url) = (hostile, "/privacy")
    house.links = [imprint, privacy]
    house.footer = "© \(hostile)"
    return house
  }

  private static func listen(_ house: WebSettings) -> ListenPage {
    ListenPage(
      station: Sample.station, qualities: Qualities(of: Sample.station, in: []),
      timeline: Sample.timeline, visit: ListenPage.Visit(), base: "http://radio.example:8000",
      house: house)
  }

  private static func pages(_ house: WebSettings) -> [WebPage] {
    [
      StationsPage(stations: [Sample.station], house: house).page, listen(house).page,
      FilesPage(station: Sample.station, files: [], access: nil, house: house).page,
      MissingPage(asked: "nope", house: house).page,
    ]
  }

  @Test func `list, player, files and missing page bear logo, colour, links and text`() throws {
    let house = Self.house
    let (logo, icon, colour) = (
      try #require(HouseFile.logo(of: house)), try #require(HouseFile.icon(of: house)),
      try #require(HouseFile.colour(of: house))
    )
    for page in Self.pages(house) {
      let html = page.html.text
      #expect(html.contains("<img class=\"logo\" src=\"\(logo.path)\" alt=\"\">"))
      #expect(html.contains("<link rel=\"icon\" href=\"\(icon.path)\" type=\"image/svg+xml\">"))
      #expect(html.contains("<link rel=\"stylesheet\" href=\"\(colour.path)\">"))
      #expect(
        html.contains("<a href=\"https://example.org/?a=1&amp;b=2\" dir=\"auto\">Imprint</a>"))
      #expect(html.contains("<a href=\"/privacy\""))
      #expect(html.contains("© &lt;b&gt;&quot; onclick"))
      #expect(!html.contains("<b>") && !html.contains("\" onclick=\""))
    }
  }

  @Test func `the dashboard bears the name alone, and a frame the colour`() throws {
    let house = Self.house
    let admin = AdminPage(hasToken: true, house: house).page.html.text
    #expect(admin.contains("<span>Radio Example</span>") && !admin.contains("house-"))
    #expect(!admin.contains("Imprint"))
    let framed = Self.listen(house).embedded(theme: nil).html.text
    let colour = try #require(HouseFile.colour(of: house))
    #expect(framed.contains(colour.path) && !framed.contains("Imprint"))
    #expect(!framed.contains("class=\"logo\""))
  }

  @Test func `pages without anything of the house are as they were`() {
    for page in Self.pages(WebSettings()) {
      let html = page.html.text
      #expect(!html.contains("house-") && !html.contains("class=\"own\""))
      #expect(html.contains("#longwave\""))
    }
  }

  @Test func `files of the house are kept by their content, and an SVG runs nothing`() throws {
    let house = Self.house
    let logo = try #require(HouseFile.logo(of: house)), icon = HouseFile.icon(of: house)
    guard
      case .whole(200, "image/png", [1, 2, 3], let fields)? = HouseFile.response(
        of: house, version: "house-\(logo.version)", "logo.png"),
      case .whole(200, "image/svg+xml", _, let guarded)? = HouseFile.response(
        of: house, version: "house-\(icon?.version ?? "")", "icon.svg"),
      case .whole(200, "image/png", _, let late)? = HouseFile.response(
        of: house, version: "house-old", "logo.png")
    else { throw TimeIsUp(description: "a file is missing") }
    #expect(fields.map(\.value) == ["public, max-age=31536000, immutable"])
    #expect(guarded.last?.value.hasSuffix("; sandbox") == true)
    #expect(late.map(\.value) == ["no-cache, no-store"])
    #expect(HouseFile.response(of: house, version: "house-old", "logo.svg") == nil)
    #expect(HouseFile.response(of: house, version: logo.version, "logo.png") == nil)
    // The service worker takes what has a version alone for a file of the program.
    #expect(logo.path.wholeMatch(of: /\/assets\/[0-9a-f-]{8,}\/.*/) == nil)
  }

  /// Least contrasts of texts and accent on the grounds of a theme, by the tokens of base.css.
  private static func contrasts(_ palette: Palette, isDark: Bool) -> (text: Double, accent: Double)
  {
    let hue = palette.hue
    func shade(_ lightness: Double, _ chroma: Double) -> Double {
      Oklab.luminance(lightness, chroma, hue)
    }
    let dark = palette.tintDark, light = palette.tintLight
    let grounds =
      isDark
      ? [shade(0.2, dark), shade(0.29, dark * 1.6), shade(0.26, dark)]
      : [shade(0.975, light * 0.6), shade(0.93, light), 1]
    let texts =
      isDark ? [shade(0.96, 0.006), shade(0.76, 0.015)] : [shade(0.22, 0.02), shade(0.45, 0.02)]
    let accent = shade(isDark ? palette.accentDark : palette.accentLight, palette.accentChroma)
    let onAccent = isDark ? shade(0.2, 0.03) : 1
    func least(_ colours: [Double]) -> Double {
      colours.flatMap { one in grounds.map { Palette.contrast(one, $0) } }.min() ?? 0
    }
    return (min(least(texts), Palette.contrast(onAccent, accent)), least([accent]))
  }

  @Test func `text stays readable whatever colour the house has`() {
    let steps = stride(from: 0, through: 255, by: 15).map { UInt8($0) }
    for red in steps {
      for green in steps {
        for blue in steps {
          let colour = WebColour(red: red, green: green, blue: blue)
          let palette = Palette(colour)
          for isDark in [true, false] {
            let (text, accent) = Self.contrasts(palette, isDark: isDark)
            #expect(text >= 4.5 && accent >= 3, "\(colour), dark \(isDark): \(text), \(accent)")
          }
        }
      }
    }
  }

  @Test func `a colour keeps its hue, and a grey one stays grey`() {
    #expect(abs(Palette(WebColour(red: 255, green: 0, blue: 0)).hue - 29.2) < 0.1)
    #expect(abs(Palette(WebColour(red: 0, green: 0, blue: 255)).hue - 264.1) < 0.1)
    for value in [UInt8(0), 20, 128, 255] {
      #expect(Palette(WebColour(red: value, green: value, blue: value)).accentChroma == 0)
    }
    let sheet = Palette(WebColour(red: 192, green: 57, blue: 43)).css
    #expect(sheet.hasPrefix(":root { --house: 1; --hue: ") && sheet.hasSuffix("; }\n"))
  }

  @Test func `the list is an app by the house's name and icon, and so are stations`() throws {
    let plain = WebManifest(others: [Sample.station], house: WebSettings()).json
    #expect(plain["start_url"] == "/" && plain["id"] == "/" && plain["name"] == "Longwave")
    #expect(plain["icons"]?.text.contains("icon-512.png") == true)
    #expect(plain["shortcuts"]?.text.contains("/listen/jazz") == true)
    let icon = try #require(HouseFile.icon(of: Self.house))
    for station in [nil, Sample.station] {
      let manifest = WebManifest(station: station, others: [], house: Self.house).json
      #expect(
        manifest["icons"] == [
          ["src": .string(icon.path), "sizes": "any", "type": "image/svg+xml"]
        ])
      #expect(manifest["name"] == .string(station?.name ?? "Radio Example"))
    }
    let list = StationsPage(stations: [], house: WebSettings()).page.html.text
    #expect(list.contains("<link rel=\"manifest\" href=\"/manifest.webmanifest\">"))
  }
}
