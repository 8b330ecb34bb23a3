/// The entry of one span: every packet of at most half a second.
struct SpanRecord: Hashable {
  struct Packet: Hashable {
    var bytes: UInt32
    /// Flicks.
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
      position: start.position + bytes, media: start.media + MediaTime(flicks: flicks))
  }

  /// At most ten bytes a packet, and 65,535 bytes a record.
  static let packetsMax = 4096

  func put(into payload: inout ByteWriter) {
    precondition(
      !packets.isEmpty && packets.count <= Self.packetsMax, "a span has 1 to 4,096 packets")
    payload.put(start.position)
    payload.put(start.media.flicks)
    payload.put(air.nanoseconds)
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
    guard let position = reader.take(UInt64.self), let media = reader.take(Int64.self),
      let air = reader.take(Int64.self), let crc = reader.take(UInt32.self),
      let bytes = reader.take(UInt32.self), let packets = Self.takePackets(&reader)
    else { return nil }
    self.init(
      start: LogPoint(position: position, media: MediaTime(flicks: media)),
      air: WallTime(nanoseconds: air), crc: crc, packets: packets)
    guard start.isPlausible && self.bytes == UInt64(bytes) else { return nil }
  }

  /// What stands in front of a record's packets.
  static let headBytes = 32

  /// What of a record tells its packets: two bytes each at 128 kbit/s.
  static func takePackets(_ reader: inout ByteReader) -> [Packet]? {
    guard let count = reader.takeVarint(), count > 0 && count <= packetsMax,
      let usual = reader.takeVarint()
    else { return nil }
    var packets: [Packet] = []
    packets.reserveCapacity(Int(count))
    for _ in 0..<count {
      guard let length = reader.takeVarint() else { return nil }
      packets.append(Packet(bytes: length, duration: usual))
    }
    guard let exceptions = reader.takeVarint(), exceptions <= count else { return nil }
    for _ in 0..<exceptions {
      guard let index = reader.takeVarint(), index < count, let duration = reader.takeVarint()
      else { return nil }
      packets[Int(index)].duration = duration
    }
    return packets
  }
}
