/// The entry of one span: every packet of at most half a second of audio.
struct SpanRecord: Hashable {
  struct Packet: Hashable {
    var bytes: UInt32
    /// The length in flicks.
    var duration: UInt32
  }

  var start: LogPoint
  var air: WallTime
  /// CRC32C of the span's audio.
  var crc: UInt32
  var packets: [Packet]

  var bytes: UInt64 { packets.reduce(0) { $0 + UInt64($1.bytes) } }
  var end: LogPoint {
    let flicks = packets.reduce(0) { $0 + Int64($1.duration) }
    return LogPoint(
      position: start.position + bytes, media: start.media + MediaTime(stored: flicks))
  }

  /// The most packets in a span: at most ten bytes each, and 65,535 bytes a record.
  static let packetsMax = 4096

  func put(into payload: inout ByteWriter) {
    precondition(
      !packets.isEmpty && packets.count <= Self.packetsMax, "a span has 1 to 4,096 packets")
    payload.put(start.position)
    payload.put(start.media.stored)
    payload.put(air.stored)
    payload.put(crc)
    payload.put(UInt32(bytes))
    payload.put(varint: UInt32(packets.count))
    let usual = packets[0].duration
    payload.put(varint: usual)
    for packet in packets { payload.put(varint: packet.bytes) }
    let exceptions = packets.indices.filter { packets[$0].duration != usual }
    payload.put(varint: UInt32(exceptions.count))
    for index in exceptions {
      payload.put(varint: UInt32(index))
      payload.put(varint: packets[index].duration)
    }
  }
}

extension SpanRecord {
  init?(_ reader: inout ByteReader) {
    guard let position = reader.read(UInt64.self), let media = reader.read(Int64.self),
      let air = reader.read(Int64.self), let crc = reader.read(UInt32.self),
      let bytes = reader.read(UInt32.self), let packets = PackedPackets(&reader)
    else { return nil }
    self.init(
      start: LogPoint(position: position, media: MediaTime(stored: media)),
      air: WallTime(stored: air), crc: crc, packets: Array(packets))
    guard start.isPlausible && self.bytes == UInt64(bytes) else { return nil }
  }

  /// The number of bytes before a record's packets.
  static let headBytes = 32

  /// A record's packets in their stored form, two bytes each at 128 kbit/s. Reading them allocates nothing.
  struct PackedPackets: Sequence, IteratorProtocol {
    private var lengths: ByteReader
    private var exceptions: ByteReader
    private let usual: UInt32
    private let count: UInt32
    private var index: UInt32 = 0
    private var exception: (index: UInt32, duration: UInt32)?

    /// Checks the packets and moves the reader behind them; nil if they are not whole.
    init?(_ reader: inout ByteReader) {
      guard let count = reader.readVarint(), count > 0 && count <= packetsMax,
        let usual = reader.readVarint()
      else { return nil }
      self.count = count
      self.usual = usual
      lengths = reader
      for _ in 0..<count { guard reader.readVarint() != nil else { return nil } }
      guard let others = reader.readVarint(), others <= count else { return nil }
      exceptions = reader
      var free: UInt32 = 0
      for _ in 0..<others {
        guard let index = reader.readVarint(), index >= free && index < count,
          reader.readVarint() != nil
        else { return nil }
        free = index + 1
      }
      exceptions = ByteReader(
        UnsafeRawBufferPointer(rebasing: reader.bytes[..<reader.offset]), at: exceptions.offset)
      readException()
    }

    var underestimatedCount: Int { Int(count - index) }

    mutating func next() -> Packet? {
      guard index < count, let bytes = lengths.readVarint() else { return nil }
      defer { index += 1 }
      guard let exception, exception.index == index else {
        return Packet(bytes: bytes, duration: usual)
      }
      readException()
      return Packet(bytes: bytes, duration: exception.duration)
    }

    private mutating func readException() {
      exception = exceptions.readVarint().flatMap { index in
        exceptions.readVarint().map { (index, $0) }
      }
    }
  }
}
