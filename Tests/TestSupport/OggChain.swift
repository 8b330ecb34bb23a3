import Wire

/// An Ogg stream as a strict player reads it: its links, one after another, and all that is wrong with them (RFC 3533).
public struct OggChain: Sendable {
  public struct Link: Sendable {
    public var serial: UInt32
    /// nil: they are not whole yet.
    public var headers: OggHeaders?
    /// Of audio, as they came.
    public var pages: [[UInt8]] = []
    /// Where each of them ends in time.
    public var granules: [UInt64] = []
    fileprivate var start: [UInt8] = []
    fileprivate var sequence: UInt32?
    /// Whether a packet goes on in the next page.
    fileprivate var isOpen = false
  }

  public private(set) var links: [Link] = []
  /// In words; none for a stream as it should be, whose last page may not be whole.
  public private(set) var problems: [String] = []
  /// Of whole pages.
  public private(set) var bytes = 0

  public init(_ stream: [UInt8]) {
    while bytes < stream.count {
      guard case .page(let page) = OggPage.read(in: stream.span, at: bytes) else {
        if case .needMore = OggPage.read(in: stream.span, at: bytes) { return }
        problems.append("no page, or a wrong checksum, at \(bytes)")
        return
      }
      take(page, Array(stream[page.range]))
      bytes = page.range.upperBound
    }
  }

  private mutating func take(_ page: OggPage, _ whole: [UInt8]) {
    if page.flags.contains(.first) {
      if let last = links.last, last.headers == nil { complain("has no headers") }
      if links.contains(where: { $0.serial == page.serial }) {
        complain("is followed by one of a number that was")
      }
      links.append(Link(serial: page.serial))
    }
    guard let index = links.indices.last else {
      problems.append("it does not begin with headers")
      return
    }
    if page.serial != links[index].serial { complain("has a page of another one in it") }
    follow(page)
    if links[index].headers == nil {
      links[index].start += whole
      let start = links[index].start
      links[index].headers = OggHeaders.read(pages: start.span)?.headers
    } else {
      // A packet too long for a page fills all of its pages but the last.
      let isLong = page.granule == .max
      if isLong != (page.range.count == OggPage.bytesMax) { complain("has a page without an end") }
      if page.flags.contains(.continued) != links[index].isOpen {
        complain("has audio that goes over pages")
      }
      if page.granule < links[index].granules.last ?? 0 { complain("goes back in time") }
      links[index].isOpen = isLong
      links[index].pages.append(whole)
      if !isLong { links[index].granules.append(page.granule) }
    }
  }

  /// Pages are counted on; between headers and audio there may be some fewer.
  private mutating func follow(_ page: OggPage) {
    let link = links[links.count - 1]
    defer { links[links.count - 1].sequence = page.sequence }
    guard let before = link.sequence else {
      if page.sequence != 0 { complain("does not begin with page 0") }
      return
    }
    let isJoin = link.headers != nil && link.pages.isEmpty
    if page.sequence != before + 1, !(isJoin && page.sequence > before) {
      complain("has page \(page.sequence) behind \(before)")
    }
    if isJoin, page.granule != .max, let rate = link.headers?.format.sampleRate,
      page.granule > UInt64(10 * rate)
    {
      complain("begins at sample \(page.granule)")
    }
  }

  private mutating func complain(_ text: String) {
    problems.append("link \(links.count) \(text)")
  }
}
