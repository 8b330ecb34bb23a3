import Wire

/// Follows an Ogg stream as a strict player does (RFC 3533): headers, then pages without one missing.
struct SimulatedEar {
  /// How the newest link's decoder was set up.
  private(set) var gain: UInt8?
  private var headers: [UInt8] = []
  private var isBegun = false
  private var serial: UInt32?
  private var last: (sequence: UInt32, granule: UInt64)?
  private var serials: Set<UInt32> = []

  /// Bytes of a header page that stands there; nil: none does, or not all of it.
  mutating func header(_ bytes: ArraySlice<UInt8>) throws(Complaint) -> Int? {
    guard bytes.starts(with: Array("OggS".utf8)) else { return nil }
    let shown = Array(bytes.prefix(4096))
    switch OggPage.read(in: shown.span, at: 0) {
    case .needMore: return nil
    case .none, .damaged: throw Complaint("a damaged page")
    case .page(let page):
      if page.flags.contains(.first) {
        try begin(page)
      } else if !isBegun || page.serial != serial {
        return nil
      }
      headers += shown[page.range]
      if let found = OggHeaders.read(pages: headers.span) {
        isBegun = false
        gain = headers[OggPage.headBytes + 1 + 17]
        guard found.headers.comments.title?.text.hasPrefix("Title") ?? true else {
          throw Complaint("headers of another title")
        }
      }
      return page.range.upperBound
    }
  }

  private mutating func begin(_ page: OggPage) throws(Complaint) {
    if isBegun { throw Complaint("a link without headers") }
    if !serials.insert(page.serial).inserted {
      throw Complaint("a link with the number of another")
    }
    (headers, isBegun, serial, last, gain) = ([], true, page.serial, nil, nil)
  }

  /// The next page of audio.
  mutating func take(_ bytes: ArraySlice<UInt8>) throws(Complaint) {
    guard let page = SimulatedOgg.place(of: bytes) else { throw Complaint("a damaged page") }
    guard gain != nil, page.serial == serial else {
      throw Complaint("page \(page.sequence) of \(page.serial) in link \(serial ?? 0)")
    }
    if let last {
      if page.sequence != last.sequence &+ 1 {
        throw Complaint("page \(page.sequence) behind \(last.sequence)")
      }
      if page.granule != last.granule + UInt64(SimulatedOgg.samples) {
        throw Complaint("sample \(page.granule) behind \(last.granule)")
      }
    } else if page.granule != UInt64(SimulatedOgg.samples) {
      throw Complaint("a stream that begins at sample \(page.granule)")
    }
    last = (page.sequence, page.granule)
  }

  struct Complaint: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
}
