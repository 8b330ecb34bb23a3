import Reactor
import Wire

/// Decides which URL is tried next.
///
/// The list has the configured URLs in order; a playlist among them is replaced by its entries once it has been
/// fetched. After a round in which everything failed the playlists stand in their places again: they may have changed.
struct UpstreamList {
  struct Entry: Hashable {
    var url: String
    /// The index of the configured URL that the entry comes from.
    var origin: Int
    /// The number of playlists between that URL and the entry.
    var depth: Int
    /// The scope of the server of the playlist that names the URL; nil if the configuration names it.
    var lead: AddressScope?
    /// Header lines that the playlist wants sent to the URL's server.
    var headers: [String] = []
    var isPush: Bool { url == PushSource.url }
  }

  static let depthMax = 3
  static let entriesMax = 256

  let urls: [String]
  private(set) var entries: [Entry]
  private var index = 0
  private var failures = 0
  private var curableFailures = 0

  init(_ urls: [String]) {
    precondition(!urls.isEmpty, "a station has at least one upstream")
    let urls = Array(urls.prefix(Bounds.upstreamsMax))
    self.urls = urls
    entries = urls.indices.map { Entry(url: urls[$0], origin: $0, depth: 0) }
  }

  var current: Entry { entries[index] }

  /// The number of upstreams that may be tried instead of the current one; a source that pushes connects by itself.
  var others: Int { entries.indices.count { $0 != index && !entries[$0].isPush } }

  /// Whether no failure of the last round was one that waiting will cure.
  private(set) var isHopeless = false

  /// Replaces the current URL by a playlist's entries. False: nested too deep, or an empty playlist.
  mutating func expand(into playlist: [PlaylistEntry], from lead: AddressScope = .world) -> Bool {
    let playlistEntry = current
    guard !playlist.isEmpty, playlistEntry.depth < Self.depthMax else { return false }
    let new = playlist.prefix(max(1, Self.entriesMax - entries.count + 1)).map {
      Entry(
        url: $0.url, origin: playlistEntry.origin, depth: playlistEntry.depth + 1, lead: lead,
        headers: $0.headers)
    }
    entries.replaceSubrange(index...index, with: new)
    return true
  }

  /// Notes that the current URL failed and goes to the next one. True: it was the round's last, now is the time to
  /// wait.
  mutating func failed(hopeless: Bool) -> Bool {
    failures += 1
    if !hopeless { curableFailures += 1 }
    index = (index + 1) % entries.count
    guard failures >= entries.count else { return false }
    isHopeless = curableFailures == 0
    self = UpstreamList(urls, isHopeless: isHopeless)
    return true
  }

  /// Notes that the current URL was a file that arrived whole, and goes to the next of its playlist.
  ///
  /// True: it was the last one, and the playlist begins again.
  mutating func completed() -> Bool {
    beginRound()
    let (origin, next) = (current.origin, index + 1)
    if next < entries.count && entries[next].origin == origin {
      index = next
      return false
    }
    index = entries.firstIndex { $0.origin == origin } ?? 0
    return true
  }

  /// Forgets earlier failures, since the current URL plays well.
  mutating func beginRound() {
    failures = 0
    curableFailures = 0
    isHopeless = false
  }

  /// Goes to a configured URL.
  mutating func select(origin: Int) {
    self = UpstreamList(urls)
    index = max(0, min(origin, urls.count - 1))
  }

  private init(_ urls: [String], isHopeless: Bool) {
    self.init(urls)
    self.isHopeless = isHopeless
  }
}
