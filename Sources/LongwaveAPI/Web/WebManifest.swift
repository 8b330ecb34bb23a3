import Longwave
import Wire

/// What a browser needs to install a station's player as an app (https://www.w3.org/TR/appmanifest/).
struct WebManifest: Sendable {
  let station: StationSnapshot
  /// All stations, in the order of the stations' page.
  let others: [StationSnapshot]
  let house: WebSettings

  static let mediaType = "application/manifest+json"
  /// Systems show no more than four shortcuts.
  private static let shortcutsMax = 4
  private static let icons: [(file: String, sizes: String, mediaType: String)] = [
    ("icon.svg", "any", "image/svg+xml"), ("icon-192.png", "192x192", "image/png"),
    ("icon-512.png", "512x512", "image/png"),
  ]

  var json: JSON {
    let page = "/listen/\(station.id)"
    return [
      "id": .string(page), "start_url": .string(page), "scope": "/", "display": "standalone",
      "name": .string(station.name), "short_name": .string(String(station.name.prefix(24))),
      "description": .string(station.description ?? house.title),
      "background_color": "#10161d", "theme_color": "#10161d",
      "icons": .array(
        Self.icons.map {
          [
            "src": .string(WebAssets.shared.path($0.file)), "sizes": .string($0.sizes),
            "type": .string($0.mediaType),
          ]
        }),
      "shortcuts": .array(
        others.lazy.filter { $0.id != station.id && $0.renditionOf == nil && $0.isListed }.prefix(
          Self.shortcutsMax
        ).map {
          ["name": .string($0.name), "url": .string("/listen/\($0.id)")]
        }),
    ]
  }
}
