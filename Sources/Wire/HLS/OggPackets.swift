/// The codec's packets out of a log's pages, one behind the other, and how long each plays.
public struct OggPackets: Hashable, Sendable {
  public struct Packet: Hashable, Sendable {
    public var bytes: Int
    /// The samples of it that are heard, at least 1.
    public var samples: Int
  }

  /// The packets' bytes.
  public private(set) var bytes: [UInt8] = []
  public private(set) var packets: [Packet] = []
  private var timer: OggTimer

  /// - Parameter headers: of the stream that the pages belong to.
  public init(_ headers: OggHeaders) { timer = headers.timer }

  /// The samples that are heard.
  public var samples: Int { packets.reduce(0) { $0 + $1.samples } }

  /// Adds the packets of one packet of the log.
  ///
  /// - Parameters:
  ///   - pages: its pages, whole.
  ///   - heard: the samples of it that are heard; nil: all. What is not heard is in front where a link of the upstream
  ///     begins with it, else behind.
  /// - Returns: False for bytes that are not whole pages and whole packets; then nothing is added.
  public mutating func add(_ pages: Span<UInt8>, heard: Int? = nil) -> Bool {
    guard var found = Self.packets(in: pages, timer: &timer) else { return false }
    if let heard {
      let begins = OggPage.Flags(rawValue: pages[OggPage.flagsByte]).contains(.begins)
      let unheard = found.reduce(0) { $0 + $1.length }.saturatingSubtract(heard)
      Self.shorten(&found, by: unheard, inFront: begins)
    }
    for packet in found {
      packets.append(Packet(bytes: packet.bytes.count, samples: packet.length))
      bytes += packet.bytes
    }
    return true
  }

  private typealias Found = (bytes: [UInt8], length: Int)

  /// Finds the packets of pages; nil where a page or a packet is not whole.
  private static func packets(in pages: Span<UInt8>, timer: inout OggTimer) -> [Found]? {
    var assembler = OggAssembler()
    var found: [Found] = []
    var place = 0
    var last: OggPage?
    while place < pages.count {
      guard case .page(let page) = OggPage.read(in: pages, at: place) else { return nil }
      let isInside = assembler.partialBytes > 0
      guard page.flags.contains(.continued) == isInside, !isInside || page.follows(last) else {
        return nil
      }
      for packet in assembler.packets(of: page, in: pages) {
        guard let length = timer.length(of: packet.span) else { continue }
        found.append((packet, length.samples))
      }
      (place, last) = (page.range.upperBound, page)
    }
    return assembler.partialBytes == 0 && place > 0 ? found : nil
  }

  /// Each packet keeps a sample: players take one without length for an error.
  private static func shorten(_ found: inout [Found], by samples: Int, inFront: Bool) {
    var left = max(0, samples)
    for place in found.indices where left > 0 {
      let index = inFront ? place : found.count - 1 - place
      let cut = min(left, found[index].length - 1)
      found[index].length -= cut
      left -= cut
    }
  }

  /// Makes the samples as many as the media time has: its last packet takes the difference.
  mutating func fit(_ count: Int) {
    guard let last = packets.indices.last else { return }
    var surplus = samples.saturatingSubtract(max(0, count))
    if surplus < 0 { packets[last].samples = packets[last].samples.saturatingSubtract(surplus) }
    for index in packets.indices.reversed() where surplus > 0 {
      let cut = min(surplus, packets[index].samples - 1)
      packets[index].samples -= cut
      surplus -= cut
    }
  }
}

extension OggPage {
  fileprivate func follows(_ page: OggPage?) -> Bool {
    page.map { serial == $0.serial && sequence == $0.sequence &+ 1 } ?? false
  }
}
