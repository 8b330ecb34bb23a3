import Audio
import Timeshift
import Wire

/// Decodes the packets of a log, and says where in media time their samples stand.
///
/// The decoder is used on one thread at a time.
struct PacketDecoder {
  /// Makes the decoder of a codec, whose stream begins with these headers.
  typealias Make = @Sendable (Codec, _ headers: [UInt8]) throws(AudioError) -> any SoundDecoder

  private let make: Make
  private var stream: (codec: Codec, headers: [UInt8])?
  private var decoder: (any SoundDecoder)?
  /// The format of the newest samples; nil until there are some.
  private(set) var format: AudioFormat?
  /// Place of the next sample that comes out of the decoder, in samples of media time.
  private var next: Int?
  /// Start of the first packet whose samples have not come: libmpg123 gives a stream's first frame with the second.
  private var waiting: MediaTime?
  private var pause = RefusalPause()
  private var allowance = SoundAllowance()
  private var steady = SteadyFormat()

  init(_ make: @escaping Make) { self.make = make }

  /// Makes the decoder of a codec: the one way to a decoder, unless a test has another.
  static let make: Make = { codec, headers throws(AudioError) in
    switch codec {
    case .mp1, .mp2, .mp3: try Mpg123Decoder()
    case .aac, .opus, .vorbis, .flac, .speex: try AvDecoder(codec, headers: headers)
    }
  }

  /// Begins with the packets of a codec. After a refusal nothing is decoded until the next call.
  mutating func begin(_ codec: Codec, headers: [UInt8]) throws(AudioError) {
    (stream, decoder, format, next, waiting) = (nil, nil, nil, nil, nil)
    steady = SteadyFormat()
    decoder = try make(codec, headers)
    stream = (codec, headers)
  }

  /// Forgets where the next sample would stand: other packets follow than those behind the last.
  mutating func jump() { (next, waiting) = (nil, nil) }

  /// Decodes a packet as far as its bytes go. A packet that cannot be decoded is left out, with the packets it may have
  /// spoiled. Where many cannot be decoded, the packets behind them are left out too, see `RefusalPause`.
  ///
  /// - Parameter take: gets interleaved samples, their format, and the place of the first in samples of media time;
  ///   in a format that lasts, see `SteadyFormat`.
  mutating func decode(
    _ packet: TapPacket, _ take: (UnsafeBufferPointer<Int16>, AudioFormat, Int) -> Void
  ) {
    guard let stream else { return }
    guard let decoder = decoder ?? newDecoder(at: packet.start.media) else { return }
    if next == nil, waiting == nil, stream.codec.isMPEGAudio {
      waiting = packet.start.media
    }
    do throws(AudioError) {
      try decoder.decode(
        packet.bytes, atMost: allowance.seconds(for: packet.length)
      ) { samples in
        guard let format = decoder.format else { return }
        allowance.spend(format.seconds(of: samples.count))
        // Nothing measures or converts samples of other rates.
        guard SampleFormat.rates.contains(format.sampleRate) else { return }
        let heard = heard(samples, format, of: packet)
        steady.convert(heard, format, at: place(heard.count, format, of: packet), take)
      }
    } catch {
      (self.decoder, format, next, waiting) = (nil, nil, nil, nil)
      pause.refused(at: packet.start.media)
    }
  }

  /// The samples of a packet without those that an upstream's link in Ogg leaves out at its ends.
  private func heard(
    _ samples: UnsafeBufferPointer<Int16>, _ format: AudioFormat, of packet: TapPacket
  ) -> UnsafeBufferPointer<Int16> {
    guard stream?.codec.isOgg == true, packet.bytes.count > OggPage.flagsByte else {
      return samples
    }
    let first = OggPage.Flags(rawValue: packet.bytes[OggPage.flagsByte])
    let last = packet.bytes.count / OggPage.bytesMax * OggPage.bytesMax
    let isEnd =
      last + OggPage.flagsByte < packet.bytes.count
      && OggPage.Flags(rawValue: packet.bytes[last + OggPage.flagsByte]).contains(.last)
    guard first.contains(.begins) || isEnd else { return samples }
    let wanted = max(0, packet.length.samples(rate: format.sampleRate)) * max(1, format.channels)
    return first.contains(.begins)
      ? UnsafeBufferPointer(rebasing: samples.suffix(wanted))
      : UnsafeBufferPointer(rebasing: samples.prefix(wanted))
  }

  /// Makes a decoder in the place of one that has refused a packet, unless that happens all the time.
  private mutating func newDecoder(at media: MediaTime) -> (any SoundDecoder)? {
    guard let stream, pause.isOver(at: media) else { return nil }
    decoder = try? make(stream.codec, stream.headers)
    if decoder == nil { self.stream = nil }
    return decoder
  }

  private mutating func place(_ count: Int, _ format: AudioFormat, of packet: TapPacket) -> Int {
    func samples(_ media: MediaTime) -> Int {
      Int(bounded: (media.seconds * Double(format.sampleRate)).rounded())
    }
    if format != self.format { (self.format, next) = (format, nil) }
    let (begin, end) = (samples(packet.start.media), samples(packet.end.media))
    let frames = count / max(1, format.channels)
    // A decoder may have nothing of a packet's beginning to tell: of Vorbis the first block.
    let own = max(0, end - frames)
    // Where frames are missing, what follows stands where it belongs.
    let late = min(3 * (end - begin), format.sampleRate / 10)
    let first = (next ?? waiting.map(samples)).flatMap { abs($0 - own) > late ? nil : $0 } ?? own
    (next, waiting) = (first + frames, nil)
    return first
  }
}
