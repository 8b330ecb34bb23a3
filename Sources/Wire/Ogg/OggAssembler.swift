/// Assembles the packets of one logical stream; a packet may span pages.
struct OggAssembler {
  /// The beginning of a packet that continues in the next page; nil if there is none, or if the beginning is lost.
  private var partial: [UInt8]?
  private var expected: UInt32?

  /// The bytes of the beginning that waits for its rest.
  var partialBytes: Int { partial?.count ?? 0 }

  /// The most bytes of a packet: comments with their pictures. Audio is far shorter.
  private static let packetBytesMax = OggHeaderCollector.bytesMax

  /// Returns the packets that end in `page`, whole.
  ///
  /// If the first packet's beginning is lost, no packet of the page is returned. So a page's packets do not depend on
  /// where a connection began, except in that connection's first page.
  mutating func packets(of page: OggPage, in bytes: Span<UInt8>) -> [[UInt8]] {
    if page.sequence != expected { partial = nil }
    expected = page.sequence &+ 1
    let isLost = page.flags.contains(.continued) && partial == nil
    var current = page.flags.contains(.continued) ? partial ?? [] : []
    partial = nil
    var packets: [[UInt8]] = []
    var start = page.body.lowerBound
    var end = start
    for index in page.table {
      end += Int(bytes[index])
      guard bytes[index] < 255 else { continue }
      current.append(bytes, start..<end)
      packets.append(current)
      current = []
      start = end
    }
    if let last = page.table.last, bytes[last] == 255 {
      current.append(bytes, start..<end)
      let isWholeFromStart = !isLost || !packets.isEmpty
      if isWholeFromStart, current.count <= Self.packetBytesMax { partial = current }
    }
    return isLost ? [] : packets
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    bytes.extracting(range).withUnsafeBufferPointer { append(contentsOf: $0) }
  }
}
