import Timeshift
import Wire

/// Reads the packets of an Ogg file, from a little before a media time on, link after link.
struct MediaPackets: Sendable {
  struct Packet {
    /// Where its page is in the bytes made, and what it is.
    var made: PacketScanner.Packet
    /// Where what is heard of the packet begins.
    var start: MediaTime
    /// How long what is heard of the packet is.
    var length: MediaTime
    /// How much at its end is not heard.
    var cut: MediaTime
    /// Those of its link, if it is the first packet that was read of the link.
    var headers: OggHeaders?
  }

  enum Step { case more, enough, over }

  private let file: MediaFile
  private let index: MediaIndex
  private var demuxer = OggDemuxer()
  private var links = MediaLinks()
  /// The position of the next read.
  private var place: UInt64 = 0
  /// The media time of the next packet. Nil while unknown, because reading begins before the place wanted.
  private var now: MediaTime?
  /// The position from which on `now` is known.
  private let known: UInt64
  /// The headers of a link of which no packet has been read yet.
  private var pending: OggHeaders?

  /// Reads the headers of the link that is played at `from`, and moves to the place in it. Blocks.
  init(_ file: MediaFile, _ index: MediaIndex, from: MediaTime) throws(StorageError) {
    self.file = file
    self.index = index
    let mark = index.markBefore(from)
    let isNear = mark == 0
    let begin =
      isNear
      ? index.marks[0].offset : index.marks[min(mark + 3, index.marks.count - 1)].offset
    known = begin
    let linkStart = index.links.last { $0 <= begin } ?? 0
    var (demuxer, links) = (OggDemuxer(), MediaLinks())
    var headers: OggHeaders?
    var end = linkStart
    var made: [UInt8] = []
    try file.walk(from: linkStart) { bytes, base, atEnd in
      var at = 0
      while let found = demuxer.next(in: bytes, from: at, atEnd: atEnd, into: &made) {
        if let page = demuxer.page { links.see(page, in: bytes) }
        at = found.end
        end = base + UInt64(at)
        if case .headers(let found)? = found.items.first {
          headers = found
          return nil
        }
      }
      return at
    }
    place = isNear ? end : max(end, index.marks[mark].offset)
    links.begin()
    if place > end { links.leaveBeginning() }
    (self.demuxer, self.links, pending) = (demuxer, links, headers)
  }

  /// Passes packets on, those of a page of the file at once, until `take` has enough or the file ends. Blocks.
  ///
  /// - Parameter take: gets the packets, and the bytes in which their pages are. Nothing is read behind `.over`.
  mutating func read(
    _ take: (_ packets: [Packet], _ made: [UInt8]) -> Step
  ) throws(StorageError) {
    var state = self
    var made: [UInt8] = []
    try file.walk(from: place) { bytes, base, atEnd in
      // Any number of other bytes may follow the last known packet.
      if base >= state.index.end { return nil }
      var at = 0
      while let found = state.demuxer.next(in: bytes, from: at, atEnd: atEnd, into: &made) {
        let packets = state.packets(found.items, at: base + UInt64(at), in: bytes)
        let step = packets.isEmpty ? .more : take(packets, made)
        made.removeAll(keepingCapacity: true)
        at = found.end
        state.place = step == .over ? state.index.end : base + UInt64(at)
        if step != .more { return nil }
      }
      return at
    }
    self = state
  }

  /// Places what was found in a page in media time.
  private mutating func packets(
    _ items: [OggDemuxer.Item], at offset: UInt64, in bytes: Span<UInt8>
  ) -> [Packet] {
    if now == nil, offset >= known {
      now = index.marks[index.lastMark { $0.offset <= known } ?? 0].media
    }
    var unheard = MediaTrim.Parts()
    if let page = demuxer.page {
      links.see(page, in: bytes)
      if case .headers? = items.first { links.begin() }
      unheard = links.trim(page, items)
    }
    var packets: [Packet] = []
    var behind = items.reduce(0) { $0 + $1.samples }
    for item in items {
      switch item {
      case .headers(let headers): pending = headers
      case .lost: continue
      case .packet(let made):
        behind -= made.samples
        let front = min(unheard.front, made.samples)
        unheard.front -= front
        let back = min(made.samples - front, max(0, unheard.back - behind))
        guard let start = now else { continue }
        let rate = made.format.sampleRate
        let length = MediaTime(samples: made.samples - front - back, rate: rate)
        packets.append(
          Packet(
            made: made, start: start, length: length,
            cut: MediaTime(samples: back, rate: rate), headers: pending))
        pending = nil
        now = start + length
      }
    }
    return packets
  }
}
