import Timeshift
import Wire

/// Plays a part of an Ogg file as new streams, each with its headers and whole packets, from time zero on.
public struct MediaPages: Sendable {
  /// A piece sent at once.
  public struct Chunk: Sendable {
    public var bytes: [UInt8]
    public var length: MediaTime
  }

  private let file: MediaFile
  private let index: MediaIndex
  private let from: MediaTime
  private let to: MediaTime
  private let repeats: Bool
  private var serial: UInt32
  private var demuxer = OggDemuxer()
  private var links = MediaLinks()
  /// The position of the next read.
  private var place: UInt64 = 0
  /// The media time of the next packet. Nil while unknown, because reading begins before the place wanted.
  private var now: MediaTime?
  /// The position from which on `now` is known.
  private var known: UInt64 = 0
  private var hasBegun = false

  /// A chunk ends after the page that fills it to this many bytes.
  private static let chunkBytes = 32 * 1024

  /// - Parameters:
  ///   - to: the end; packets that begin before it are played. Nil: plays to the file's end.
  ///   - repeats: whether the part is played again for ever.
  ///   - serial: the streams are numbered from `serial` + 1 on.
  public init?(
    _ file: MediaFile, _ index: MediaIndex, from: MediaTime, to: MediaTime?, repeats: Bool,
    serial: UInt32
  ) {
    guard index.format.codec.isOgg, from < index.duration, to ?? index.duration > from else {
      return nil
    }
    self.file = file
    self.index = index
    self.from = from
    // An end at or behind the file's end means all packets, also an unheard last one.
    self.to = to.flatMap { $0 < index.duration ? $0 : nil } ?? .max
    self.repeats = repeats
    self.serial = serial
  }

  /// Reads the next chunk; nil at the end. Blocks.
  public mutating func next() throws(StorageError) -> Chunk? {
    if !hasBegun { try begin() }
    var chunk = try read()
    if chunk == nil, repeats {
      hasBegun = false
      try begin()
      chunk = try read()
    }
    return chunk
  }

  /// Reads the headers of the link to play, and moves to the place in it.
  private mutating func begin() throws(StorageError) {
    hasBegun = true
    let mark = index.markBefore(from)
    let target = index.marks[min(mark + 3, index.marks.count - 1)]
    let isNear = mark == 0
    known = isNear ? index.marks[0].offset : target.offset
    let linkStart = index.links.last { $0 <= known } ?? 0
    var headers: OggHeaders?
    var end = linkStart
    var made: [UInt8] = []
    var demuxer = OggDemuxer()
    var links = MediaLinks()
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
    self.demuxer = demuxer
    place = isNear ? end : max(end, index.marks[mark].offset)
    links.begin()
    if place > end { links.leaveBeginning() }
    self.links = links
    now = nil
    pending = headers
  }

  /// The headers of a stream of which no page has been sent yet.
  private var pending: OggHeaders?

  private mutating func read() throws(StorageError) -> Chunk? {
    var chunk = Chunk(bytes: [], length: .zero)
    var state = self
    var isOver = false
    try file.walk(from: place) { bytes, base, atEnd in
      // Any number of other bytes may follow the last known packet.
      if base >= index.end {
        isOver = true
        return nil
      }
      var at = 0
      var made: [UInt8] = []
      while chunk.bytes.count < Self.chunkBytes, !isOver,
        let found = state.demuxer.next(in: bytes, from: at, atEnd: atEnd, into: &made)
      {
        state.reach(base + UInt64(at))
        var trimmed = MediaTrim.Parts()
        if let page = state.demuxer.page {
          state.links.see(page, in: bytes)
          if case .headers? = found.items.first { state.links.begin() }
          trimmed = state.links.take(page, found.items)
        }
        isOver = state.take(found.items, made, trimmed, into: &chunk)
        made.removeAll(keepingCapacity: true)
        at = found.end
        state.place = base + UInt64(at)
      }
      return chunk.bytes.count < Self.chunkBytes && !isOver ? at : nil
    }
    self = state
    if isOver { self.place = index.end }
    return chunk.bytes.isEmpty ? nil : chunk
  }

  private mutating func reach(_ offset: UInt64) {
    guard now == nil, offset >= known else { return }
    now = index.marks[index.lastMark { $0.offset <= known } ?? 0].media
  }

  /// Adds packets to the chunk. True: the played part has ended.
  private mutating func take(
    _ items: [OggDemuxer.Item], _ made: [UInt8], _ trimmed: MediaTrim.Parts,
    into chunk: inout Chunk
  ) -> Bool {
    var front = trimmed.front
    for item in items {
      switch item {
      case .headers(let headers):
        pending = headers
      case .packet(let packet):
        let left = min(front, packet.samples)
        front -= left
        guard let start = now else { continue }
        let rate = packet.format.sampleRate
        let length = MediaTime(samples: packet.samples, rate: rate)
        now = start + length - MediaTime(samples: left, rate: rate)
        if start < from { continue }
        if start >= to { return true }
        append(packet, made, into: &chunk)
        chunk.length += length
      }
    }
    if case .packet(let last)? = items.last, let end = now {
      now = end - MediaTime(samples: trimmed.back, rate: last.format.sampleRate)
    }
    return false
  }

  private mutating func append(
    _ packet: PacketScanner.Packet, _ made: [UInt8], into chunk: inout Chunk
  ) {
    if let headers = pending {
      serial &+= 1
      chunk.bytes += headers.pages(serial: serial)
      (pending, sequence, granule) = (nil, Self.headerPages, 0)
    }
    granule += UInt64(packet.samples)
    var page = Array(made[packet.range])
    var span = page.mutableSpan
    OggPage.stamp(&span, serial: serial, sequence: sequence, granule: granule)
    sequence += 1
    chunk.bytes += page
  }

  // Sequence numbers reserved for header pages. Decoders accept the jump behind them, as at any join.
  private static let headerPages: UInt32 = 16

  /// The next sequence number of the stream being sent.
  private var sequence: UInt32 = 0
  private var granule: UInt64 = 0
}
