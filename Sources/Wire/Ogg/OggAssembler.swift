/// Puts the packets of one logical stream together, which may go over pages.
struct OggAssembler {
  /// The beginning of a packet that goes on in the next page; nil: none, or it is lost.
  private var partial: [UInt8]?
  private var expected: UInt32?

  /// Of a single packet: comments with their pictures. Audio is far shorter.
  private static let packetBytesMax = OggHeaderCollector.bytesMax

  /// The packets that end in `page`, whole.
  ///
  /// Where the beginning of its first one is lost, none is given: so what a page gives does not depend on where a
  /// connection began, but for that page itself.
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
