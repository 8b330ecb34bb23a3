import Longwave
import Wire

/// What a browser needs to install the list of stations, or a station's player, as an app
/// (https://www.w3.org/TR/appmanifest/).
struct WebManifest: Sendable {
  /// The station whose player it is; nil for the list.
  var station: StationSnapshot?
  /// All stations, in the order of the stations' page.
  let others: [StationSnapshot]
  let house: WebSettings

  static let mediaType = "application/manifest+json"
  /// The list's manifest.
  static let path = "/manifest.webmanifest"
  /// Systems show no more than four shortcuts.
  private static let shortcutsMax = 4
  private static let icons: [(file: String, sizes: String, mediaType: String)] = [
    ("icon.svg", "any", "image/svg+xml"), ("icon-192.png", "192x192", "image/png"),
    ("icon-512.png", "512x512", "image/png"),
  ]

  static func link(_ path: String) -> HTML { "<link rel=\"manifest\" href=\"\(path)\">\n" }

  var json: JSON {
    let page = station.map { "/listen/\($0.id)" } ?? "/"
    let name = station?.name ?? house.title
    let ground = JSON.string(house.grounds.dark)
    return [
      "id": .string(page), "start_url": .string(page), "scope": "/", "display": "standalone",
      "name": .string(name), "short_name": .string(String(name.prefix(24))),
      "description": .string(station?.description ?? house.title),
      "background_color": ground, "theme_color": ground,
      "icons": .array(icons),
      "shortcuts": .array(
        others.lazy.filter { $0.id != station?.id && $0.renditionOf == nil && $0.isListed }.prefix(
          Self.shortcutsMax
        ).map {
          ["name": .string($0.name), "url": .string("/listen/\($0.id)")]
        }),
    ]
  }

  private var icons: [JSON] {
    if let file = HouseFile.icon(of: house) {
      let sizes = house.icon?.size.map { "\($0.width)x\($0.height)" } ?? "any"
      return [Self.icon(file.path, sizes, file.mediaType)]
    }
    return Self.icons.map { Self.icon(WebAssets.shared.path($0.file), $0.sizes, $0.mediaType) }
  }

  private static func icon(_ path: String, _ sizes: String, _ mediaType: String) -> JSON {
    ["src": .string(path), "sizes": .string(sizes), "type": .string(mediaType)]
  }
}
