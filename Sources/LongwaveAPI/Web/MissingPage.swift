import Longwave
import Wire

/// The page in place of a station, or of another page, that is not there.
struct MissingPage {
  /// What was asked for: a station, or a path.
  let asked: String
  var isStation = true
  let house: WebSettings

  private var words: String {
    isStation ? "There is no such station" : "There is nothing at this address"
  }

  var page: WebPage {
    WebPage(
      title: "\(words) – \(house.title)", kind: "missing",
      styles: ["base.css", "listen.css"], script: "missing.js",
      main: """
        <main id="main" class="missing">
        <h1\(isStation ? nil : " class=\"nowhere\"" as HTML)>\(words)</h1>
        <p class="asked" dir="auto">\(asked)</p>
        <p><a class="button primary" href="/">All stations</a></p>
        </main>
        """,
      state: ["page": "missing", "version": .string(RelayVersion.number)], house: house)
  }

  /// The same inside pages of others, which have no other station to offer.
  var embedded: WebPage {
    var page = page
    page.isFramed = true
    return page
  }
}
