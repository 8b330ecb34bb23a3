/// Reads OPML as radio directories and players write it: `<outline text="Name" URL="http://…" image="…"/>`, in folders.
///
/// Attribute names are read in any case. An outline without an address is a folder and no station; its name is the
/// genre of its stations. Feeds and links to further OPML documents are no stations.
/// Sources: http://opml.org/spec2.opml; TuneIn's http://inside.radiotime.com/developers/api/opml/elements/outline
enum OPMLReader {
  /// The deepest nesting of folders; deeper outlines are left out.
  private static let depthMax = 64

  static func items(of text: ArraySlice<UInt8>, max: Int) -> [PlaylistItem] {
    var items: [PlaylistItem] = []
    /// The name of the nearest named folder for each open outline, outermost first.
    var folders: [String?] = []
    var tokens = XMLTokens(text)
    while let token = tokens.next(), items.count < max {
      switch token {
      case .open("outline", let attributes):
        guard folders.count < depthMax else { return items }
        let outline = Outline(attributes)
        let outer = folders.last ?? nil
        if var item = outline.item {
          item.genre = item.genre ?? outer
          items.append(item)
        }
        folders.append(outline.isFolder ? outline.name ?? outer : outer)
      case .close("outline"): _ = folders.popLast()
      default: break
      }
    }
    return items
  }

  private struct Outline {
    let attributes: [String: [UInt8]]

    init(_ attributes: [String: [UInt8]]) { self.attributes = attributes }

    var name: String? { self["text"] ?? self["title"] }
    var isFolder: Bool { place == nil }

    /// The outline as a playlist item; nil if it is no station.
    var item: PlaylistItem? {
      let type = self["type"]?.lowercased()
      guard let place, type == nil || type == "audio" || type == "stream" else { return nil }
      var item = PlaylistItem()
      item.places = [place] + fallbacks
      item.title = name
      item.artwork = self["image"]
      item.genre = self["category"] ?? self["genre"]
      item.homepage = self["htmlurl"]
      item.description = self["description"] ?? self["subtext"]
      return item
    }

    private var place: [UInt8]? { attributes["url"] ?? attributes["xmlurl"] }

    /// The addresses `url2`, `url3` …, which Longwave writes for stations with more than one upstream.
    private var fallbacks: [[UInt8]] {
      (2...9).compactMap { attributes["url\($0)"] }
    }

    private subscript(name: String) -> String? {
      let text = attributes[name].map { Charset.decode($0) }
      return text?.isEmpty == true ? nil : text
    }
  }
}
