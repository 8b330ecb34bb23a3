import Longwave
import Wire

/// The page in place of a station that is not there.
struct MissingPage {
  /// What was asked for.
  let station: String
  let house: WebSettings

  var page: WebPage {
    WebPage(
      title: "There is no such station – \(house.title)", kind: "missing",
      styles: ["base.css", "listen.css"], script: "missing.js",
      main: """
        <main id="main" class="missing">
        <h1>There is no such station</h1>
        <p dir="auto">\(station)</p>
        <p><a class="button outlined" href="/">Stations</a></p>
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
