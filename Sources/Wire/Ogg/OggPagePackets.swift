/// The packets that are whole within one page, one after the other. Nothing is copied.
///
/// `OggAssembler` puts those together that span pages.
///
/// The end of a packet that began in a page before is left out, and so is the beginning of one that goes on in the next.
public struct OggPagePackets {
  private var table: Range<Int>
  private var place: Int
  private var isContinued: Bool

  public init(_ page: OggPage) {
    (table, place) = (page.table, page.body.lowerBound)
    isContinued = page.flags.contains(.continued)
  }

  /// - Parameter bytes: those in which the page was read.
  /// - Returns: The packet's place in the bytes; nil behind the last.
  public mutating func next(in bytes: Span<UInt8>) -> Range<Int>? {
    var end = place
    while let index = table.first {
      table = index + 1..<table.upperBound
      end += Int(bytes[index])
      guard bytes[index] < 255 else { continue }
      let packet = place..<end
      place = end
      if !isContinued { return packet }
      isContinued = false
    }
    return nil
  }
}

extension OggPage {
  /// The packets that are whole within these pages, copied; nil if the bytes are no pages.
  public static func packets(in pages: Span<UInt8>) -> [[UInt8]]? {
    var assembler = OggAssembler()
    var packets: [[UInt8]] = []
    var place = 0
    while case .page(let page) = read(in: pages, at: place) {
      packets += assembler.packets(of: page, in: pages)
      place = page.range.upperBound
    }
    return place == pages.count ? packets : nil
  }
}
