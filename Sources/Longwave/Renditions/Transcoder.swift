import Audio
import Timeshift
import Wire

/// Makes the packets of a rendition of the packets of its original, and says where in the original's media time each
/// is heard.
///
/// The transcoder is used on one thread at a time.
struct Transcoder {
  /// A frame of the rendition.
  struct Made {
    var bytes: [UInt8]
    var samples: Int
    var format: AudioFormat
    /// Media time of the original that is heard at its beginning: an encoder's delay before the first packet's.
    var media: MediaTime
  }

  private let settings: PCMEncoding
  private var decoder: PacketDecoder
  private var encoder: SampleEncoder
  /// Bytes of a frame that is not whole yet.
  private var rest: [UInt8] = []
  /// Media seconds of the first sample that was encoded; nil before it.
  private var begin: Double?
  /// Samples of a channel that were encoded, and their rate.
  private var taken = (samples: 0, rate: 0)
  /// Samples of a channel in the frames that came out.
  private var made = 0

  /// Seconds by which samples may stand elsewhere than behind those before.
  private static let slack = 0.1

  init(_ settings: PCMEncoding, makeDecoder: @escaping PacketDecoder.Make) {
    self.settings = settings
    decoder = PacketDecoder(makeDecoder)
    encoder = SampleEncoder(settings)
  }

  /// Begins with the packets of a format.
  mutating func begin(_ mark: FormatMark) throws(AudioError) {
    try decoder.begin(mark.format.codec, headers: mark.headers)
  }

  /// Other packets follow than those behind the last.
  ///
  /// - Parameter take: gets what is left of the packets so far.
  mutating func jump(_ take: (Made) -> Void) {
    decoder.jump()
    finish(take)
  }

  /// Other packets follow at once, without time between: the decoder forgets, the encoder goes on.
  mutating func passSeam() { decoder.jump() }

  /// Decodes a packet in front of the first that is encoded.
  mutating func warmUp(_ packet: TapPacket) {
    var decoder = decoder
    decoder.decode(packet) { samples, format, _ in
      try? encoder.hear(samples, rate: format.sampleRate, channels: min(2, format.channels))
    }
    self.decoder = decoder
  }

  /// - Parameter take: gets the frames that are whole.
  mutating func transcode(
    _ packet: TapPacket, _ take: (Made) -> Void
  ) throws(AudioError) {
    var refusal: AudioError?
    // The decoder is taken out, since what it gives changes the rest of this.
    var decoder = decoder
    decoder.decode(packet) { samples, format, place in
      if refusal != nil { return }
      do throws(AudioError) {
        try encode(samples, format, at: place, take)
      } catch {
        refusal = error
      }
    }
    self.decoder = decoder
    if let refusal { throw refusal }
  }

  private mutating func encode(
    _ samples: UnsafeBufferPointer<Int16>, _ format: AudioFormat, at place: Int,
    _ take: (Made) -> Void
  ) throws(AudioError) {
    let (rate, channels) = (max(1, format.sampleRate), min(2, max(1, format.channels)))
    let media = Double(place) / Double(rate)
    if let begin {
      let expected = begin + Double(taken.samples) / Double(max(1, taken.rate))
      if rate != taken.rate || abs(media - expected) > Self.slack { finish(take) }
    }
    if begin == nil { (begin, taken) = (media, (0, rate)) }
    taken.samples = taken.samples.saturatingAdd(samples.count / channels)
    let bytes = try encoder.encode(samples, rate: rate, channels: channels)
    cut(bytes, take)
  }

  private mutating func finish(_ take: (Made) -> Void) {
    // Asked for first: an encoder that is over has none.
    let (delay, rate) = (encoder.delay, encoder.sampleRate)
    cut(encoder.finish(), delay: delay, rate: rate, take)
    (rest, begin, made) = ([], nil, 0)
  }

  private mutating func cut(_ bytes: [UInt8], _ take: (Made) -> Void) {
    cut(bytes, delay: encoder.delay, rate: encoder.sampleRate, take)
  }

  /// Hands on the frames that are whole. LAME writes nothing else.
  private mutating func cut(_ bytes: [UInt8], delay: Int, rate: Int, _ take: (Made) -> Void) {
    guard let begin, rate > 0 else { return }
    rest += bytes
    var from = 0
    while let header = MPEGHeader(in: rest.span, at: from), let length = header.frameBytes,
      length > 0, from + length <= rest.count
    {
      let media = begin + Double(made - delay) / Double(rate)
      made = made.saturatingAdd(header.samples)
      take(
        Made(
          bytes: Array(rest[from..<(from + length)]), samples: header.samples,
          format: header.format, media: MediaTime(seconds: media)))
      from += length
    }
    rest.removeFirst(from)
  }
}
