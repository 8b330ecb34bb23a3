import CLinux
import Glibc
import Synchronization
import Timeshift
import Wire

/// Made-up packets of 128 kbit/s MP3 proportions whose every byte is known from its position.
public enum TestPacket {
  public static let bytes = 417
  public static let samples = 1152
  public static let format = AudioFormat(codec: .mp3, sampleRate: 44100, channels: 2)
  public static let duration = MediaTime(samples: samples, rate: 44100)

  /// The packet that stands at `position`: its number, then bytes that follow from it.
  public static func at(_ position: UInt64, bytes count: Int = bytes) -> [UInt8] {
    var state = position &* 0x9e37_79b9_7f4a_7c15 | 1
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let raw = UnsafeMutableRawBufferPointer(buffer)
      for offset in stride(from: 0, to: count, by: 8) {
        let word = offset == 0 ? position : state
        withUnsafeBytes(of: word.littleEndian) { bytes in
          let part = min(8, count - offset)
          raw.baseAddress!.advanced(by: offset).copyMemory(
            from: bytes.baseAddress!, byteCount: part)
        }
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
      }
      filled = count
    }
  }
}

extension PacketLog {
  /// Appends `count` known packets and publishes.
  public func feed(_ count: Int, at now: Moment) {
    for _ in 0..<count { appendKnown() }
    publish(at: now)
  }

  /// Appends the packet that belongs to the writer's place.
  public func appendKnown(format: AudioFormat = TestPacket.format) {
    append(TestPacket.at(writerPosition).span, samples: TestPacket.samples, format: format)
  }

  /// Feeds `seconds` in real time by the clock, a quarter of a second at once.
  public func feed(seconds: Double, by clock: ManualClock, turn: () -> Void = {}) {
    let end = writerMedia + MediaTime(seconds: seconds)
    while writerMedia < end {
      let stop = writerMedia + MediaTime(seconds: 0.25)
      let before = writerMedia
      while writerMedia < stop { appendKnown() }
      clock.advance(seconds: (writerMedia - before).seconds)
      publish(at: clock.now)
      turn()
    }
  }
}

extension LogReader {
  /// Everything in `range`; nil when a piece is missing. `wait` is called while the disk is asked.
  public func collect(_ range: Range<UInt64>, wait: () -> Void = {}) -> [UInt8]? {
    var bytes: [UInt8] = []
    // In a row.
    var waits = 0
    withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 16) { scratch in
      while UInt64(bytes.count) < UInt64(range.count) && waits < 1000 {
        let position = range.lowerBound + UInt64(bytes.count)
        switch read(at: position, upTo: range.upperBound, limit: 16384, scratch: scratch) {
        case .bytes(let found):
          bytes.append(contentsOf: found)
          waits = 0
        case .loading:
          waits += 1
          wait()
          refresh()
        case .liveEdge, .hole, .overrun: return
        }
      }
    }
    return bytes.count == range.count ? bytes : nil
  }

  /// Whether who reads from the oldest packet on comes to the edge, over whatever holes there are.
  public func comesToTheEdge(wait: () -> Void = {}) -> Bool {
    var position = oldest.position
    // In a row.
    var waits = 0
    return withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 16) { scratch in
      while waits < 1000 {
        switch read(at: position, upTo: .max, limit: 16384, scratch: scratch) {
        case .bytes(let found):
          position += UInt64(found.count)
          waits = 0
        case .hole(let next), .overrun(let next):
          guard next.position > position else { return false }
          position = next.position
        case .loading:
          waits += 1
          wait()
          refresh()
        case .liveEdge: return position == edge.position
        }
      }
      return false
    }
  }

  /// Asks until the answer is there.
  public func wait<Answer>(_ turn: () -> Void, for answer: (LogReader) -> Answer?) -> Answer? {
    for _ in 0..<100 {
      if let found = answer(self) { return found }
      turn()
      refresh()
    }
    return nil
  }
}

/// Whether bytes from `position` on are what `TestPacket` puts there.
public func areKnown(_ bytes: [UInt8], from position: UInt64) -> Bool {
  let size = UInt64(TestPacket.bytes)
  var offset = 0
  while offset < bytes.count {
    let at = position + UInt64(offset)
    let packet = TestPacket.at(at / size * size)[Int(at % size)...]
    let count = min(packet.count, bytes.count - offset)
    guard bytes[offset..<offset + count].elementsEqual(packet.prefix(count)) else { return false }
    offset += count
  }
  return true
}

/// CRC32C of the bytes.
public func crc32c(_ bytes: ArraySlice<UInt8>) -> UInt32 {
  Array(bytes).withUnsafeBytes { linux_crc32c(0, $0.baseAddress, $0.count) }
}
