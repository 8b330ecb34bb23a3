import Longwave
import Wire

/// The dashboard. It has nothing without scripts: it is made of what the API says.
struct AdminPage {
  /// Whether there is a password with which somebody may sign in.
  let hasToken: Bool
  let house: WebSettings

  var page: WebPage {
    WebPage(
      title: "Administration – \(house.title)", kind: "admin", styles: ["base.css", "admin.css"],
      script: "admin/app.js",
      main: """
        <main id="main">
        <noscript><p>The dashboard needs JavaScript. Without it: <code>longwave --help</code>.</p></noscript>
        <div id="app"></div>
        </main>
        """,
      state: [
        "page": "admin", "version": .string(RelayVersion.number), "hasToken": .bool(hasToken),
        "events": EventRow.shown,
      ], house: house.plain)
  }
}
