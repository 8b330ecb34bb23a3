import Audio
import Timeshift
import Wire

/// Decodes the packets of a log, and says where in media time their samples stand.
///
/// It is used on one thread at a time.
struct PacketDecoder {
  typealias Make = @Sendable (Codec) throws(AudioError) -> any SoundDecoder

  private let make: Make
  private var codec: Codec?
  private var decoder: (any SoundDecoder)?
  private var format: AudioFormat?
  /// Place of the next sample that comes out of the decoder, in samples of media time.
  private var next: Int?

  init(_ make: @escaping Make) { self.make = make }

  /// Makes the decoder of a codec: the one way to a decoder, unless a test has another.
  static let make: Make = { codec throws(AudioError) in
    switch codec {
    case .mp1, .mp2, .mp3: return try Mpg123Decoder()
    case .aac, .opus, .vorbis, .flac, .speex:
      throw AudioError(
        call: "decoder", code: -1, reason: "\(codec.name) cannot be decoded here",
        advice: "Only MP3 can.")
    }
  }

  /// Begins with the packets of a codec. After a refusal nothing is decoded until the next call.
  mutating func begin(_ codec: Codec) throws(AudioError) {
    (self.codec, decoder, next) = (codec, nil, nil)
    decoder = try make(codec)
  }

  /// Forgets where the next sample would stand: other packets follow than those behind the last.
  mutating func jump() { next = nil }

  /// Decodes a packet as far as its bytes go. A packet that cannot be decoded is left out, with what it may have spoiled.
  ///
  /// - Parameter take: gets interleaved samples, their format, and the place of the first in samples of media time.
  mutating func decode(
    _ packet: TapPacket, _ take: (UnsafeBufferPointer<Int16>, AudioFormat, Int) -> Void
  ) {
    guard let decoder else { return }
    do throws(AudioError) {
      try decoder.decode(packet.bytes) { samples in
        guard let format = decoder.format else { return }
        take(samples, format, place(samples.count, format, of: packet))
      }
    } catch {
      if let codec { try? begin(codec) }
    }
  }

  private mutating func place(_ count: Int, _ format: AudioFormat, of packet: TapPacket) -> Int {
    func samples(_ media: MediaTime) -> Int {
      Int(bounded: (media.seconds * Double(format.sampleRate)).rounded())
    }
    if format != self.format { (self.format, next) = (format, nil) }
    let (begin, end) = (samples(packet.start.media), samples(packet.end.media))
    // Where frames are missing, what follows stands where it belongs.
    let first = next.flatMap { abs($0 - begin) > 3 * (end - begin) ? nil : $0 } ?? begin
    next = first + count / max(1, format.channels)
    return first
  }
}
