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
  /// Nil before the part begins.
  private var packets: MediaPackets?
  /// The headers of a stream of which no page has been sent yet.
  private var pending: OggHeaders?

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
    let chunk = try read()
    if chunk != nil || !repeats { return chunk }
    packets = nil
    return try read()
  }

  private mutating func read() throws(StorageError) -> Chunk? {
    var packets: MediaPackets
    if let begun = self.packets {
      packets = begun
    } else {
      packets = try MediaPackets(file, index, from: from)
    }
    var chunk = Chunk(bytes: [], length: .zero)
    var state = self
    try packets.read { page, made in
      for packet in page {
        if let headers = packet.headers { state.pending = headers }
        if packet.start < state.from { continue }
        if packet.start >= state.to { return .over }
        state.append(packet.made, made, into: &chunk)
      }
      return chunk.bytes.count < Self.chunkBytes ? .more : .enough
    }
    self = state
    self.packets = packets
    return chunk.bytes.isEmpty ? nil : chunk
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
    chunk.length += MediaTime(samples: packet.samples, rate: packet.format.sampleRate)
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
