import Audio
import Wire

/// Makes the programme: music passes through the encoder and the scanner and becomes packets.
///
/// Each title stands before the first packet in which its track is heard. The encoder knows neither time nor thread: slices
/// follow each other.
struct StudioEncoder {
  /// Programme ready for a log.
  struct Slice: Sendable {
    enum Piece: Hashable, Sendable {
      /// The title of the packets that follow.
      case title(Title)
      case packet(PacketScanner.Packet)
    }

    /// The bytes that the packets' ranges refer to.
    var bytes: [UInt8]
    var pieces: [Piece]
  }

  /// A title whose first packet has not been made yet.
  private struct Announcement {
    var packet: Int
    var title: Title
  }

  private var music: Music
  private let encoder: LameEncoder
  private var scanner = PacketScanner(hint: .mp3)
  private var announcements: [Announcement]
  /// Encoded bytes that make no whole packet yet: less than three frames.
  private var remainder: [UInt8] = []
  private var samplesIn = 0
  private var packetsOut = 0

  init(seed: UInt64, sampleRate: Int, bitrate: Int) throws(AudioError) {
    music = Music(seed: seed, sampleRate: sampleRate)
    encoder = try LameEncoder(sampleRate: sampleRate, channels: 2, bitrate: bitrate)
    announcements = [Announcement(packet: 0, title: music.title)]
  }

  /// Plays, encodes and scans the next slice.
  ///
  /// - Parameter samples: the number per channel. A packet is ready one to three frames later than its samples go in,
  ///   so the first slices hold fewer.
  mutating func slice(samples: Int) throws(AudioError) -> Slice {
    readPackets(of: remainder + (try encoder.encode(play(samples: samples))))
  }

  private mutating func play(samples: Int) -> [Int16] {
    var played: [Int16] = []
    played.reserveCapacity(2 * samples)
    var remaining = samples
    while remaining > 0 {
      // A stretch ends where a track does, so that the next title's place is known to the sample.
      let stretch = min(remaining, music.framesUntilNextTrack)
      let title = music.title
      played += music.render(frames: stretch)
      samplesIn += stretch
      remaining -= stretch
      if music.title != title { announce(music.title) }
    }
    return played
  }

  private mutating func announce(_ title: Title) {
    let heard = samplesIn + encoder.delay + MPEGInfo.decoderDelay
    let samplesPerPacket = music.sampleRate >= 32000 ? 1152 : 576
    announcements.append(Announcement(packet: heard / samplesPerPacket, title: title))
  }

  private mutating func readPackets(of bytes: [UInt8]) -> Slice {
    var pieces: [Slice.Piece] = []
    var end = 0
    while let finding = scanner.next(in: bytes.span, from: end) {
      end = finding.range.upperBound
      guard case .packet(let packet) = finding else { continue }
      if let next = announcements.first, next.packet <= packetsOut {
        pieces.append(.title(next.title))
        announcements.removeFirst()
      }
      pieces.append(.packet(packet))
      packetsOut += 1
    }
    remainder = Array(bytes[end...])
    return Slice(bytes: bytes, pieces: pieces)
  }
}
