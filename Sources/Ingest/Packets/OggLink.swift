import Wire

/// The one logical stream that a station's Ogg pages are put into, whatever chains and connections they come from: for
/// as long as a decoder can go on without new headers.
struct OggLink {
  let headers: OggHeaders
  let serial: UInt32
  private var sequence: UInt32
  private var granule: UInt64

  /// A new stream; its header pages, for the log.
  init(_ headers: OggHeaders) {
    self.headers = headers
    // The upper half of the numbers is for streams that are made for one listener.
    serial = UInt32.random(in: 0..<1 << 31)
    sequence = 16  // behind any number of header pages
    granule = 0
  }

  var pages: [UInt8] { headers.pages(serial: serial) }

  /// The stream that the log ends with: its header pages, and the newest page.
  init?(headers pages: [UInt8], newest: [UInt8]) {
    guard let (headers, serial) = OggHeaders.read(pages: pages.span),
      case .page(let page) = OggPage.read(in: newest.span, at: 0), page.serial == serial
    else { return nil }
    self.headers = headers
    self.serial = serial
    sequence = page.sequence &+ 1
    granule = page.granule
  }

  /// Gives the next page its place.
  mutating func place(_ page: inout [UInt8], samples: Int) {
    granule &+= UInt64(samples)
    var bytes = page.mutableSpan
    OggPage.stamp(&bytes, serial: serial, sequence: sequence, granule: granule)
    sequence &+= 1
  }
}
