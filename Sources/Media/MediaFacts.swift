import Timeshift
import Wire

/// Facts about an audio file, found in its first packets.
public struct MediaFacts: Hashable, Sendable {
  public let format: AudioFormat
  /// The position of the first packet, after tags and headers.
  public let start: UInt64
  /// The average over the first packets; above zero.
  public let bytesPerSecond: Double
  /// Whether its first packet is a frame of MPEG audio that does not tell its size.
  var isFree = false

  /// A file has no audio if this many bytes contain no packet; tags are not counted.
  static let garbageMax = 64 * 1024
  /// The most bytes searched for audio; longer tags in front of it are not believed.
  static let probedMax: UInt64 = 32 << 20
  /// The number of packets averaged.
  static let packets = 200

  /// The length from the first packet to `offset` at this bit rate.
  public func media(at offset: UInt64) -> MediaTime {
    offset > start ? MediaTime(seconds: Double(offset - start) / bytesPerSecond) : .zero
  }

  public func offset(at media: MediaTime) -> UInt64 {
    start.saturatingAdd(UInt64(bounded: media.seconds * bytesPerSecond))
  }
}

extension MediaFile {
  /// Returns the file's facts; nil if it has no known audio. Blocks.
  public func facts() throws(StorageError) -> MediaFacts? {
    try isOgg() ? factsOfPages() : factsOfFrames(from: 0)
  }

  /// Returns the facts of a file of frames, which are looked for from `start` on. Blocks.
  func factsOfFrames(from start: UInt64) throws(StorageError) -> MediaFacts? {
    var sample = Sample()
    var scanner = PacketScanner()
    try walk(from: start) { bytes, base, atEnd in
      var place = 0
      while let found = scanner.next(in: bytes, from: place, atEnd: atEnd) {
        if case .packet(let packet) = found {
          if sample.count == 0, packet.format.codec.isMPEGAudio {
            let header = MPEGHeader(in: bytes, at: packet.range.lowerBound)
            sample.isFree = header?.bitrate == 0
          }
          sample.add(packet, at: found.range.moved(by: base))
        }
        place = found.range.upperBound
        if sample.isEnough || scanner.bytesWithoutSync > MediaFacts.garbageMax { return nil }
      }
      return base - start < MediaFacts.probedMax ? place : nil
    }
    return sample.facts
  }

  private func factsOfPages() throws(StorageError) -> MediaFacts? {
    var sample = Sample()
    var demuxer = OggDemuxer()
    var made: [UInt8] = []
    try walk(from: 0) { bytes, base, atEnd in
      var place = 0
      while let found = demuxer.next(in: bytes, from: place, atEnd: atEnd, into: &made) {
        for case .packet(let packet) in found.items {
          sample.add(packet, at: (place..<found.end).moved(by: base))
        }
        made.removeAll(keepingCapacity: true)
        place = found.end
        if sample.isEnough || demuxer.bytesWithoutSync > MediaFacts.garbageMax { return nil }
      }
      return base < MediaFacts.probedMax ? place : nil
    }
    return sample.facts
  }

  /// The first packets, added up.
  private struct Sample {
    var first: (format: AudioFormat, start: UInt64)?
    var end: UInt64 = 0
    var length = MediaTime.zero
    var count = 0
    var isFree = false

    var isEnough: Bool { count >= MediaFacts.packets }

    mutating func add(_ packet: PacketScanner.Packet, at range: Range<UInt64>) {
      if first == nil { first = (packet.format, range.lowerBound) }
      end = range.upperBound
      length += MediaTime(samples: packet.samples, rate: packet.format.sampleRate)
      count += 1
    }

    var facts: MediaFacts? {
      guard let first, length > .zero else { return nil }
      return MediaFacts(
        format: first.format, start: first.start,
        bytesPerSecond: max(1, Double(end - first.start) / length.seconds), isFree: isFree)
    }
  }
}
