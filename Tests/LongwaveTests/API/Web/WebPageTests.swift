import Foundation
import Reactor
import Server
import Testing
import Timeshift
import Wire

@testable import Longwave
@testable import LongwaveAPI

@Suite struct WebPageTests {
  private static let hostile = "</script><img src=x onerror=alert(1)>\"' & \u{202E}txet"

  /// U+0600 makes one character of itself and what follows.
  private static let joined = "\u{600}</script>\u{600}<img src=x>"

  private static var station: StationSnapshot {
    var station = Sample.station
    station.name = hostile
    station.description = joined
    station.nowPlaying = NowPlaying(Title(text: "\(hostile) - \(hostile)"))
    return station
  }

  private static var hostileHouse: WebSettings {
    var house = WebSettings()
    house.title = hostile
    return house
  }

  private static func page(_ visit: ListenPage.Visit) -> ListenPage {
    ListenPage(
      station: station, qualities: Qualities(of: station, in: []), timeline: Sample.timeline,
      visit: visit, base: "http://radio.example:8000",
      house: WebSettings())
  }

  private static func listen(_ place: ListenPage.Place? = nil) -> String {
    page(ListenPage.Visit(place: place)).page.html.text
  }

  private static func files(_ paths: [String]?, access: String? = nil) -> FilesPage {
    FilesPage(
      station: station,
      files: paths?.map {
        FileEntry(
          path: $0, bytes: 1_250_000, seconds: nil, mediaType: "audio/mpeg",
          modified: WallTime(unixSeconds: 0))
      }, access: access, house: WebSettings())
  }

  private static func list(_ json: JSON) -> [JSON] {
    if case .array(let items) = json { items } else { [] }
  }

  private static func word(_ json: JSON?) -> String? {
    if case .string(let text)? = json { text } else { nil }
  }

  private static let visitor = ListenPage.Visit(
    place: .init(name: "at", value: joined), access: hostile, session: "kitchen-radio",
    isRemote: true)

  @Test func `texts of strangers are text wherever they stand`() throws {
    for page in [
      Self.listen(), Self.listen(.init(name: "at", value: Self.joined)),
      Self.page(Self.visitor).page.html.text,
      Self.page(Self.visitor).embedded(theme: "dark").html.text,
      Self.files([Self.hostile, "\(Self.joined)/\(Self.hostile).mp3"]).page.html.text,
      StationsPage(stations: [Self.station], house: Self.hostileHouse).page.html.text,
      AdminPage(hasToken: true, house: Self.hostileHouse).page.html.text,
    ] {
      // As a browser reads it, by bytes.
      let bytes = Data(page.utf8)
      func count(_ text: String) -> Int {
        bytes.indices.count { bytes[$0...].starts(with: text.utf8) }
      }
      #expect(count("<img") == 0 && count("<script") == 3 && count("</script>") == 3)
      // The data block reads as JSON, and has the text as it was.
      let begin = try #require(page.range(of: "id=\"state\">")).upperBound
      let end = try #require(page.range(of: "</script>", range: begin..<page.endIndex)).lowerBound
      let state = try #require(JSON.parse(Array(page[begin..<end].utf8)))
      guard let station = state["station"] ?? state["stations"] else { continue }
      #expect(station.text.contains(JSON.string(Self.hostile).text))
    }
  }

  @Test func `a listening page without scripts has the sound, the titles and the past`() {
    let page = Self.listen()
    #expect(page.contains("<audio id=\"audio\" controls preload=\"none\" src=\"/jazz\">"))
    #expect(page.contains("/listen/jazz?at=2026-11-20T18%3A00%3A40.001Z"))
    #expect(
      page.contains(">19:00</time>") && page.contains("So What") && page.contains("Miles Davis"))
    #expect(page.contains("10 s missing: the station was away"))
    #expect(
      page.contains(
        "/jazz/clip?from=2026-11-20T18%3A00%3A00.000Z&amp;to=2026-11-20T18%3A00%3A40.000Z"))
    // Newest first; the gap stands between the titles.
    let order = ["Naima", "10 s missing", "So What"].compactMap {
      page.range(of: $0, options: .backwards)?.lowerBound
    }
    #expect(order.count == 3)
    #expect(page.contains("<code>http://radio.example:8000/jazz</code>"))
  }

  @Test func `a page of a moment plays from there`() {
    let place = ListenPage.Place(name: "at", value: "2026-11-20T18:00:00Z\"><b>")
    #expect(Self.listen(place).contains("src=\"/jazz?at=2026-11-20T18%3A00%3A00Z%22%3E%3Cb%3E\""))
  }

  @Test func `a listener's token goes into every address of the audio`() {
    var visit = ListenPage.Visit(place: .init(name: "offset", value: "5m"))
    visit.access = "a b&c"
    let page = Self.page(visit).page.html.text
    let token = "token=a%20b%26c"
    #expect(page.contains("src=\"/jazz?offset=5m&amp;\(token)\""))
    #expect(page.contains("href=\"/jazz.m3u?\(token)\""))
    #expect(page.contains("/jazz/clip?from=2026-11-20T18%3A00%3A00.000Z"))
    #expect(
      page.matches(of: /\/jazz\/clip\?[^"]*/).allSatisfy { $0.0.hasSuffix("&amp;" + token) })
    #expect(
      page.matches(of: /"\/listen\/jazz\?[^"]*/).allSatisfy { $0.0.hasSuffix(token) })
    #expect(page.contains("<input type=\"hidden\" name=\"token\" value=\"a b&amp;c\">"))
    #expect(page.contains("\"access\":\"token=a%20b%26c\""))
  }

  @Test func `the small player has no bars and takes the theme of its address`() {
    let small = Self.page(ListenPage.Visit()).embedded(theme: "light").html.text
    #expect(small.contains("<html lang=\"en\" data-theme=\"light\">"))
    #expect(small.contains("<body data-page=\"embed\">"))
    #expect(!small.contains("<header") && !small.contains("<footer"))
    #expect(small.contains("<audio id=\"audio\" controls preload=\"none\" src=\"/jazz\">"))
    #expect(small.contains("href=\"/listen/jazz\" target=\"_blank\""))
  }

  @Test func `a manifest is the station's, with four others as shortcuts`() {
    let others = (0..<6).map { number in
      var station = Sample.station
      station.id = "other-\(number)"
      return station
    }
    let manifest = WebManifest(
      station: Self.station, others: [Self.station] + others, house: WebSettings()
    ).json
    #expect(manifest["start_url"] == "/listen/jazz" && manifest["scope"] == "/")
    #expect(manifest["name"] == .string(Self.hostile))
    #expect(
      manifest["shortcuts"].map { Self.list($0).map { $0["url"] } }
        == (0..<4).map { JSON.string("/listen/other-\($0)") })
    for icon in manifest["icons"].map(Self.list) ?? [] {
      let name = Self.word(icon["src"])?.split(separator: "/").last.map(String.init) ?? ""
      #expect(WebAssets.shared[name]?.mediaType == Self.word(icon["type"]))
    }
  }

  @Test(
    arguments: [
      ("\"*\"", ["*"]), ("[]", []), ("https://example.org", ["https://example.org"]),
      (
        "[https://*.example.org, \"http://[::1]:8000\"]",
        ["https://*.example.org", "http://[::1]:8000"]
      ),
      ("\"https://a; script-src *\"", nil), ("\"https://a b\"", nil), ("\"'self'\"", nil),
      ("\"https://a,b\"", nil), ("\"https://\"", nil), ("example.org", nil), ("https://a/b", nil),
    ] as [(String, [String]?)])
  func `an embedder of the small player is an origin that cannot end the policy`(
    text: String, origins: [String]?
  ) throws {
    let read = Result {
      try Configuration.parse(yaml: "web: {embed: \(text)}\n", file: "made.yml")
    }
    #expect((try? read.get().web.embedders) == origins)
  }

  @Test(arguments: [
    (0, "01:00"), (3600 * 23 - 60, "23:59"), (3600 * 23, "00:00"),
    (1_806_195_540, "01:59"), (1_806_195_600, "03:00"),
  ])
  func `a time of day is told by the offset that the station's zone had then`(
    seconds: Double, text: String
  ) {
    #expect(Sample.timeline.clock(WallTime(seconds: seconds)) == text)
  }

  @Test func `a page of files links each by its escaped path, and counts those beyond 500`() {
    let page = Self.files(["2026/May #1/é?.mp3", ".hidden", "a.b.ogg"], access: "se&cret")
    let text = page.page.html.text
    let links = text.matches(
      of: /class="from" href="([^"]*)"><span class="song" dir="auto">([^<]*)/)
    #expect(
      links.map { String($0.1) } == [
        "/jazz/2026/May%20%231/%C3%A9%3F.mp3?token=se%26cret", "/jazz/.hidden?token=se%26cret",
        "/jazz/a.b.ogg?token=se%26cret",
      ])
    #expect(links.map { String($0.2) } == ["é?", ".hidden", "a.b"])
    #expect(text.contains("<span class=\"by\" dir=\"auto\">2026/May #1</span>"))
    #expect(text.contains("1.3 MB"))
    #expect(!text.contains("id=\"further\""))
    let many = Self.files((0..<503).map { "\($0).mp3" }).page.html.text
    #expect(many.matches(of: /class="from"/).count == 500)
    #expect(many.contains("data-count=\"3\""))
  }

  @Test func `a station of one file has an element and no list, and hidden files are said to be`() {
    let one = Self.files([""]).page.html.text
    #expect(one.contains("preload=\"none\" src=\"/jazz\"") && !one.contains("id=\"files\""))
    let hidden = Self.files(nil).embedded(theme: "dark").html.text
    #expect(hidden.contains("id=\"hidden-files\"") && !hidden.contains(" src=\"/jazz"))
  }

  @Test(arguments: [
    (-3.0, "0:00"), (0.4, "0:00"), (59.6, "1:00"), (337, "5:37"), (3723, "1:02:03"),
    (Double.infinity, nil), (Double.nan, nil),
  ])
  func `a length is told in minutes`(seconds: Double, text: String?) {
    let words = GapWords.length(seconds)
    #expect(text == nil || words == text)
  }

  @Test func `each kind of event that event logs show has a sentence`() throws {
    // deploy/check-web holds the other languages to this one.
    let english = try #require(WebAssets.shared["i18n/admin/en.js"])
    let phrases = String(decoding: english.body, as: UTF8.self)
    let kinds = EventRow.shown.members.flatMap { $0.value.members.map(\.key) }
    #expect(kinds.count > 30)
    for kind in kinds { #expect(phrases.contains("\"admin.event.\(kind)\":"), "\(kind)") }
  }

  @Test func `a page names the modules that its script imports`() {
    let modules = WebAssets.shared.modules(of: "admin/app.js")
    #expect(modules.contains("base.layer.js") && modules.contains("admin/parts.js"))
    // All that a player needs to sound comes as few files, and nothing twice.
    #expect(
      WebAssets.shared.modules(of: "listen.js") == [
        "base.layer.js", "pages.layer.js", "player.layer.js",
      ])
    #expect(modules.allSatisfy { WebAssets.shared[$0] != nil } && !modules.contains("admin/app.js"))
    #expect(WebAssets.shared.modules(of: "icon.svg") == [])
  }

  @Test(arguments: [
    "app.js", "bar.js", "clip.js", "dom.js", "engine.js", "help.js", "history.js",
    "mediasession.js", "player-element.js",
    "playing.js", "quality.js", "share.js", "sleep.js", "sound.js", "sw.js", "take.js",
    "timeline.js",
  ])
  func `a module has the same address whatever its room: open pages load some of them late`(
    name: String
  ) {
    #expect(WebAssets.shared[name] != nil)
    for room in ["pages", "parts", "player", "shared"] {
      #expect(WebAssets.shared["\(room)/\(name)"] == nil)
    }
  }

  @Test func `every asset that a page names is there`() throws {
    for page in [
      Self.listen(), Self.page(Self.visitor).embedded(theme: nil).html.text,
      StationsPage(stations: [], house: WebSettings()).page.html.text,
      AdminPage(hasToken: false, house: WebSettings()).page.html.text,
    ] {
      let prefix = "/assets/\(WebAssets.shared.version)/"
      let names = page.matches(of: /"(\/assets\/[^"#]*)/).map { String($0.1) }
      #expect(names.count > 3)
      for name in names {
        #expect(name.hasPrefix(prefix))
        #expect(WebAssets.shared[String(name.dropFirst(prefix.count))] != nil, "\(name)")
      }
    }
  }
}
