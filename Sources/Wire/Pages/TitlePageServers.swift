// Icecast's and SHOUTcast's own pages, in JSON, XML and HTML.
extension XMLNode {
  // MARK: Icecast

  /// The object that holds all of Icecast's figures.
  var icestats: XMLNode? { name == "icestats" ? self : child("icestats") }

  /// Reads `/status-json.xsl`, whose `source` may be missing, an object or a list, and `/admin/stats`.
  func icecast(_ mount: String?) throws(TitlePageError) -> FoundTitle? {
    guard let sources = icestats?.all("source") else { throw .otherKind(.icecast) }
    guard let source = try Self.source(at: mount, among: sources) else { return nil }
    let title = source.value("title")
    if let artist = source.value("artist"), title != nil {
      return FoundTitle(artist: artist, title: title)
    }
    let whole = ["display-title", "yp_currently_playing", "artist"].lazy.compactMap(source.value)
    return FoundTitle(title: title ?? whole.first)
  }

  private static func source(
    at mount: String?, among sources: [XMLNode]
  ) throws(TitlePageError) -> XMLNode? {
    guard let mount = mount.map(TitlePage.path(ofMount:)) else {
      if sources.count > 1 { throw .severalSources(sources.compactMap(\.mountPath)) }
      return sources.first
    }
    if let source = sources.first(where: { $0.mountPath == mount }) { return source }
    // A page without any source means that the encoder is away.
    if sources.isEmpty { return nil }
    throw .noSuchMount(mount, sources.compactMap(\.mountPath))
  }

  private var mountPath: String? {
    attributes["mount"] ?? value("listenurl").map { URLReference($0).path }
  }

  // MARK: SHOUTcast

  /// Whether the page is SHOUTcast's `/stats` or `/statistics`, in XML or JSON.
  var isShoutcast: Bool { child("songtitle") != nil || children.contains(where: \.isShoutcast) }

  func shoutcast(_ sid: Int?) -> FoundTitle? {
    let songs = songs
    guard let sid else { return songs.first.map { FoundTitle(title: $0.value("songtitle")) } }
    let own = songs.first { $0.field(["id"]) == "\(sid)" }
    // A page with one stream only does not name its number.
    let only = songs.count == 1 && songs[0].field(["id"]) == nil ? songs[0] : nil
    return (own ?? only).map { FoundTitle(title: $0.value("songtitle")) }
  }

  /// The elements that have a song, outermost first.
  private var songs: [XMLNode] {
    (child("songtitle") != nil ? [self] : []) + children.flatMap(\.songs)
  }

  /// The title in `/7.html`: listeners, status, peak, most, unique, bitrate and title, separated by commas. The title
  /// may contain commas too.
  var sevenFields: FoundTitle? {
    guard name == "html" || name == "body" else { return nil }
    // The text is split between bytes, because a comma and a combining accent after it are one character.
    var whole = ""
    addText(to: &whole)
    let fields = whole.utf8.split(
      separator: UInt8(ascii: ","), maxSplits: 6, omittingEmptySubsequences: false
    ).map { Substring($0) }
    guard fields.count == 7, fields.prefix(6).allSatisfy({ Int($0) != nil }) else { return nil }
    return FoundTitle(title: String(fields[6]))
  }

  /// Appends all text inside, in the order of the elements.
  private func addText(to whole: inout String) {
    whole += text
    for child in children { child.addText(to: &whole) }
  }
}
