import Wire

/// The one logical stream that a station's Ogg pages are put into, whatever chains and connections they come from.
///
/// The stream lasts as long as a decoder can go on without new headers.
struct OggLink {
  let headers: OggHeaders
  let serial: UInt32
  private var sequence: UInt32
  private var granule: UInt64

  /// Begins a new stream.
  init(_ headers: OggHeaders) {
    self.headers = headers
    // Numbers in the upper half belong to streams made for one listener.
    serial = UInt32.random(in: 0..<1 << 31)
    sequence = 16  // behind any number of header pages
    granule = 0
  }

  var pages: [UInt8] { headers.pages(serial: serial) }

  /// Goes on with the stream that the log ends with, from its header pages and newest page. Nil if these do not match.
  init?(headers pages: [UInt8], newest: [UInt8]) {
    guard let (headers, serial) = OggHeaders.read(pages: pages.span),
      let last = OggPage.places(in: newest.count).reduce(nil, { $1 }),
      case .page(let page) = OggPage.read(in: newest.span, at: last.lowerBound),
      page.serial == serial
    else { return nil }
    self.headers = headers
    self.serial = serial
    sequence = page.sequence &+ 1
    granule = page.granule
  }

  /// Gives the pages of the next packet their numbers and their place in the stream. Marks where an upstream's link
  /// begins or ends with samples that are not heard.
  mutating func place(_ pages: inout [UInt8], granules: Int, _ trim: PacketScanner.Packet.Trim) {
    granule &+= UInt64(granules)
    if trim.front > 0, let first = OggPage.places(in: pages.count).first(where: { _ in true }) {
      pages[first.lowerBound + OggPage.flagsByte] |= OggPage.Flags.begins.rawValue
    }
    if trim.back > 0, let last = OggPage.places(in: pages.count).reduce(nil, { $1 }) {
      pages[last.lowerBound + OggPage.flagsByte] |= OggPage.Flags.last.rawValue
    }
    var bytes = pages.mutableSpan
    sequence &+= OggPage.stamp(&bytes, serial: serial, sequence: sequence, granule: granule)
  }
}
