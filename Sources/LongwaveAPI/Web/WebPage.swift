import Ingest
import Longwave
import Server
import Wire

/// What all pages have in common: their head, their bars at the top and the bottom, and the fields of their answer.
struct WebPage: Sendable {
  var title: String
  /// Name of the page for its script.
  var kind: String
  /// A sentence for search engines and other programs that show links; empty for none.
  var summary = ""
  var styles: [String]
  /// The script that fills the page.
  var script: String
  var main: HTML
  /// What the script begins with.
  var state: JSON
  /// The settings of all pages.
  var house: WebSettings
  /// What the page's head says besides.
  var about: [HTML] = []
  /// Whether other pages show it in a frame: it has no bars.
  var isFramed = false
  /// Whether there are other pages to lead to.
  var hasOthers = true
  /// `dark` or `light` where the page's address says so; nil lets the reader decide.
  var theme: String?
  /// The title that programs show with a link; nil for the page's own.
  var titleBesideLinks: String?

  private static let assets = WebAssets.shared
  private static let links: HTML =
    "<nav class=\"links\" aria-label=\"Pages\"><a href=\"/\">Stations</a></nav>"
  private static let dashboard: HTML = "<a href=\"/admin/\">Administration</a> "

  /// The page of a house that has no other.
  var alone: WebPage {
    var page = self
    page.hasOthers = false
    return page
  }

  var html: HTML {
    """
    <!doctype html>
    <html lang="en"\(theme.map { " data-theme=\"\($0)\"" as HTML })>
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <title>\(title)</title>
    <meta name="color-scheme" content="dark light">
    \(themeColour)
    \(description)\(about)\(icon)
    \(touchIcon)\
    <script src="\(Self.assets.path("theme.js"))"></script>
    \((styles.map(Self.assets.path) + colour).map { "<link rel=\"stylesheet\" href=\"\($0)\">\n" as HTML })\
    \(Self.assets.modules(of: script).map { "<link rel=\"modulepreload\" href=\"\(Self.assets.path($0))\">\n" as HTML })\
    <script type="module" src="\(Self.assets.path(script))"></script>
    </head>
    <body data-page="\(kind)">
    \(isFramed ? nil : top)\(main)
    \(isFramed ? nil : foot)<script type="application/json" id="state">\(data: state)</script>
    </body>
    </html>

    """
  }

  private var top: HTML {
    """
    <a class="skip" href="#main">Skip to content</a>
    <header class="top">
    <a class="brand" href="/">\(logo)<span>\(house.title)</span></a>
    \(hasOthers ? Self.links : nil)
    <div class="tools" id="tools"></div>
    </header>

    """
  }

  private var foot: HTML {
    """
    <footer class="foot">\(ownFoot)\(house.hasDashboard ? Self.dashboard : nil)\
    <span>Longwave \(RelayVersion.number)</span></footer>

    """
  }

  /// What the operator wants to stand in the foot.
  private var ownFoot: HTML? {
    if house.links.isEmpty, house.footer == nil { return nil }
    let links = house.links.map { "<a href=\"\($0.url)\" dir=\"auto\">\($0.name)</a> " as HTML }
    let text = house.footer.map { "<span dir=\"auto\">\($0)</span>" as HTML }
    return "<span class=\"own\">\(links)\(text)</span> "
  }

  private var icon: HTML {
    let (path, type) =
      HouseFile.icon(of: house).map { ($0.path, $0.mediaType) }
      ?? (Self.assets.path("icon.svg"), WebPicture.svgType)
    return "<link rel=\"icon\" href=\"\(path)\" type=\"\(type)\">"
  }

  private var themeColour: HTML {
    let (dark, light) = house.grounds
    return "<meta name=\"theme-color\" content=\"\(dark)\" data-light=\"\(light)\">"
  }

  /// Ours only where the house has no icon of its own.
  private var touchIcon: HTML {
    let own = HouseFile.touchIcon(of: house)?.path
    guard let path = own ?? (house.icon == nil ? Self.assets.path("icon-192.png") : nil) else {
      return ""
    }
    return "<link rel=\"apple-touch-icon\" href=\"\(path)\">\n"
  }

  private var logo: HTML {
    guard let file = HouseFile.logo(of: house) else { return Self.icon("longwave") }
    return "<img class=\"logo\" src=\"\(file.path)\" alt=\"\">"
  }

  private var colour: [String] { HouseFile.colour(of: house).map { [$0.path] } ?? [] }

  private var description: HTML {
    if summary.isEmpty { return "" }
    return """
      <meta name="description" content="\(summary)">
      <meta property="og:title" content="\(titleBesideLinks ?? title)">
      <meta property="og:description" content="\(summary)">
      <meta property="og:site_name" content="\(house.title)">
      <meta name="twitter:card" content="summary">

      """
  }

  /// A picture of the set in `icons.svg`.
  static func icon(_ name: String) -> HTML {
    """
    <svg class="icon" aria-hidden="true"><use href="\(assets.path("icons.svg"))#\(name)"/></svg>
    """
  }

  static let mediaType = "text/html; charset=utf-8"

  /// Fields of every page's answer: it runs scripts and shows pictures of this server only, and no other page may frame
  /// it. The addresses of pages may hold secrets of sessions, so other sites are not told them.
  static let fields = fields(framedBy: "'none'")
  /// The same for pages where passwords are typed: scripts cannot put texts in as HTML.
  /// They play recordings from blobs, which they fetch with the token.
  static let guardedFields = fields(
    framedBy: "'none'", media: "'self' blob:", "; require-trusted-types-for 'script'")

  /// - Parameter origins: Those of the pages that may frame it; see `WebSettings.embedders`.
  static func fields(framedBy origins: [String]) -> [HTTPFields.Field] {
    fields(framedBy: origins.isEmpty ? "'none'" : origins.joined(separator: " "))
  }

  private static func fields(
    framedBy origins: String, media: String = "'self'", _ further: String = ""
  ) -> [HTTPFields.Field] {
    [
      .init(
        name: "Content-Security-Policy",
        value:
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
          + "media-src \(media); connect-src 'self'; manifest-src 'self'; worker-src 'self'; "
          + "base-uri 'none'; form-action 'self'; frame-ancestors " + origins + further),
      .init(name: "Referrer-Policy", value: "same-origin"),
      .init(name: "Cross-Origin-Opener-Policy", value: "same-origin"),
    ]
  }
}

extension APIResponse {
  /// - Parameter key: See `PageOrder.key`.
  static func page(
    _ key: String?, status: Int = 200, fields: [HTTPFields.Field] = WebPage.fields,
    _ page: @escaping @Sendable () -> WebPage
  ) -> APIResponse {
    .made(
      PageOrder(key: key, status: status, mediaType: WebPage.mediaType, fields: fields) {
        Array(page().html.text.utf8)
      })
  }
}

extension StationSnapshot {
  /// The state in a word or two for listeners.
  var shownState: String {
    if fallback != nil { return "stand-in" }
    if beginsAt != nil { return "not on air yet" }
    return isOffAir ? "off air" : state.shortWords
  }

  /// The state's name for styles and texts; see `stateOf` of the scripts.
  var stateName: String {
    fallback != nil ? "fallback" : isOffAir ? "off-air" : state.rawValue
  }

  /// Whether no encoder brings audio.
  private var isOffAir: Bool { isPushed && state == .connecting }
}

extension StationState {
  /// The state in a word or two for listeners.
  var shortWords: String {
    switch self {
    case .playing: "on air"
    case .connecting, .buffering: "connecting"
    case .paused: "waits for a listener"
    case .stopped: "stopped"
    case .failed: "away"
    }
  }
}
