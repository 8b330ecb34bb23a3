import Synchronization
import Timeshift
import Wire

/// Makes lists and playlists, once for all that ask for the same. They are kept until there is a newer piece.
final class HLSDesk: Sendable {
  /// Names a playlist.
  struct PageKey: Hashable, Sendable {
    var list: HLSListKey
    var extent = MediaPlaylist.Extent.whole
    /// Flicks from the list's beginning, or below zero from its end.
    var start: Int64?
    var seal: HLSPath.Seal?
    /// Whether players may ask for what is new only.
    var isSkippable = true
    /// The least number that the list may begin with.
    var firstNumber: Int64 = 0
    var takesGzip = false
  }

  private let lists = SharedCache<HLSListKey, HLSList>(
    "hls.lists", keptSeconds: HLSDesk.keptSeconds, keptMax: 1024, keptBytesMax: 64 << 20
  ) { _, list in
    list.cells.pieces.count * MemoryLayout<Piece>.stride + list.cells.titles.count * 256 + 1024
  }
  private let pages = SharedCache<PageKey, HLSPage>(
    "hls.pages", keptSeconds: HLSDesk.keptSeconds, keptMax: 1024, keptBytesMax: 64 << 20
  ) { _, page in page.body.count + 1024 }

  fileprivate let clips = SharedCache<UInt64, HLSPage?>(
    "hls.clips", keptSeconds: 0, keptBytesMax: 0
  ) { _, _ in nil }
  fileprivate let lastClip = Atomic<UInt64>(0)

  /// As long as a list stays the newest, in seconds.
  private static let keptSeconds = 12.0

  /// Number of playlists made.
  var made: Int { pages.made }

  func keptList(_ key: HLSListKey) -> HLSList? { lists.kept(key) }

  /// Returns a list; nil where too much is asked for, or the client has gone.
  func list(
    _ key: HLSListKey, of source: HLSSource, for customer: AddressBlock?
  ) async -> HLSList? {
    await lists.value(key, for: customer) { source.pieces(at: .now()).list(key.extent) }
  }

  func keptPage(_ key: PageKey) -> HLSPage? { pages.kept(key) }

  /// Returns a list's playlist, as `list` does. Where the list is not kept any more, it is made again.
  func page(_ key: PageKey, of source: HLSSource, for customer: AddressBlock?) async -> HLSPage? {
    await pages.value(key, for: customer) { [self] in
      let list = lists.kept(key.list) ?? source.pieces(at: .now()).list(key.list.extent)
      return HLSPage(MediaPlaylist(list, key).text(key.extent), takesGzip: key.takesGzip)
    }
  }
}

extension HLSDesk {
  /// Writes a client's own list, which nobody else asks for.
  ///
  /// - Parameter make: nil where there is nothing to list.
  /// - Returns: nil where too much is asked for, or the client has gone.
  func clip(
    takesGzip: Bool, for customer: AddressBlock?, make: @escaping @Sendable () -> MediaPlaylist?
  ) async -> HLSPage?? {
    let number = lastClip.add(1, ordering: .relaxed).newValue
    return await clips.value(number, for: customer) {
      make().map { HLSPage($0.text(), takesGzip: takesGzip) }
    }
  }
}

/// A playlist in the form that suits a client.
struct HLSPage: Sendable {
  static let mediaType = "application/vnd.apple.mpegurl"

  let body: [UInt8]
  let tag: EntityTag
  let isPacked: Bool
  let shared = MemoryRoom.SharedPage()

  init(_ text: [UInt8], takesGzip: Bool) {
    tag = EntityTag(of: text)
    let packed =
      takesGzip && text.count >= Representation.compressedBytesMin ? Gzip.compress(text) : nil
    (body, isPacked) = (packed ?? text, packed != nil)
  }

  /// The fields of an answer with it.
  func fields(_ cacheControl: HTTPFields.Field) -> [HTTPFields.Field] {
    [
      cacheControl, .init(name: "ETag", value: tag.description),
      .init(name: "Vary", value: "Accept-Encoding"),
    ] + (isPacked ? [.init(name: "Content-Encoding", value: "gzip")] : [])
  }
}

extension MediaPlaylist {
  init(_ list: HLSList, _ key: HLSDesk.PageKey) {
    self.init(
      list.cells, from: key.firstNumber,
      kind: list.isFinished ? .finished : .live(isSkippable: key.isSkippable))
    (start, seal) = (key.start, key.seal)
  }

  /// - Parameter number: pieces with smaller numbers are left out.
  init(_ list: CellList, from number: Int64 = 0, kind: Kind) {
    var pieces: [Piece] = []
    var ending = PieceName.Ending.mp3
    var (discontinuities, listed) = (Int64?.none, [Timeshift.Piece]())
    for piece in list.pieces where piece.number >= number {
      ending = piece.codec.flatMap(PieceName.Ending.init) ?? ending
      guard
        let name = PieceName(
          key: piece.key,
          part: .piece(
            cell: UInt64(clamping: piece.cell), number: UInt32(clamping: piece.part)),
          ending: ending)
      else { continue }
      pieces.append(
        Piece(
          name: name, time: piece.programme.lowerBound.stored..<piece.programme.upperBound.stored,
          date: piece.air.nanoseconds(since: .epoch),
          isDiscontinuous: piece.discontinuities != discontinuities ?? piece.discontinuities,
          isGap: piece.isGap || piece.codec.flatMap(PieceName.Ending.init) == nil))
      discontinuities = piece.discontinuities
      listed.append(piece)
    }
    let first = listed.first
    self.init(
      kind: kind, target: listed.reduce(1) { max($0, $1.key.seconds) },
      number: UInt64(clamping: first?.number ?? 0),
      discontinuities: UInt64(clamping: first?.discontinuities ?? 0), pieces: pieces,
      marks: list.titles.map { title in
        let date = title.mark.air.nanoseconds(since: .epoch)
        let late = max(0, (title.mark.known - title.mark.media).nanoseconds)
        return Mark(
          id: Self.id(title.programme), date: date, listed: date.saturatingAdd(late),
          title: HLSTitle(title.mark.title))
      }, removed: list.titlesLeft.map(Self.id))
  }

  private static func id(_ programme: MediaTime) -> UInt64 {
    UInt64(clamping: programme.nanoseconds / 1_000_000)
  }
}

/// What HLS has in common in all loops.
final class HLSState: Sendable {
  let desk = HLSDesk()
  let audience = HLSAudience()
  let seal: SegmentSeal
  let shelf = PieceShelf()
  let figures = HLSFigures()

  init(secret: [UInt8]) { seal = SegmentSeal(secret) }
}
