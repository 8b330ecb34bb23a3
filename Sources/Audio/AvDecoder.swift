import CAvcodec
import Wire

/// Decodes AAC in ADTS, and Opus, Vorbis, FLAC and Speex in Ogg, by libavcodec where it is installed.
///
/// Only this file and `FileDecoder` call it, by way of `CAvcodec`, which loads it when it is first needed. A decoder is
/// used on one thread at a time.
public final class AvDecoder: SoundDecoder {
  /// The format of the newest samples, as heard: of HE-AAC it has twice the core's rate. Nil until there are some.
  public private(set) var format: AudioFormat?

  private let codec: Codec
  private let decoder: OpaquePointer

  /// Makes a decoder.
  ///
  /// The corresponding C functions are `avcodec_find_decoder` and `avcodec_open2`. The headers say how much memory a
  /// decoder needs, so they are judged first, see `HeaderRefusal`.
  ///
  /// - Parameter headers: The Ogg pages with which the stream begins; empty for AAC.
  /// - Throws: where libavcodec is missing or refuses. Also for headers that are damaged, have floors of type 0, or ask
  ///   for more than 8 channels, 8 streams of Opus, or 65,536 words or 1,048,576 values of Vorbis codebooks.
  public init(_ codec: Codec, headers: [UInt8] = []) throws(AudioError) {
    guard let id = Self.identifier(of: codec) else {
      throw AudioError(
        call: "avcodec_find_decoder", code: 0, reason: "\(codec.name) is not decoded by libavcodec",
        advice: "Use libmpg123.")
    }
    if let refusal = Self.refusal(of: codec) { throw refusal }
    let setup = try Self.setup(codec, headers)
    var code: Int32 = 0
    guard let decoder = cav_open(id, setup, setup.count, &code) else {
      throw AudioError(
        call: "avcodec_open2", code: code, reason: Self.text(of: code),
        advice: "Look whether libavcodec has this codec, and the machine has memory left.")
    }
    (self.codec, self.decoder) = (codec, decoder)
  }

  deinit { cav_close(decoder) }

  /// Decodes a packet of the log: one ADTS frame, or pages of Ogg.
  ///
  /// The corresponding C functions are `avcodec_send_packet` and `avcodec_receive_frame`.
  ///
  /// - Parameter take: Gets all samples of the packet at once, in mono or stereo.
  public func decode(
    _ bytes: UnsafeRawBufferPointer, atMost seconds: Double = .infinity,
    _ take: (UnsafeBufferPointer<Int16>) -> Void
  ) throws(AudioError) {
    cav_clear(decoder)
    let bytes = bytes.bindMemory(to: UInt8.self)
    if codec.isOgg {
      try decode(pages: bytes.span, atMost: seconds)
    } else {
      try decode(bytes.span, atMost: seconds)
    }
    var frames = 0
    guard let samples = cav_samples(decoder, &frames), frames > 0 else { return }
    let (rate, channels) = (Int(cav_rate(decoder)), Int(cav_channels(decoder)))
    format = AudioFormat(codec: codec, sampleRate: rate, channels: channels)
    // Valid until the decoder is called again, which `take` cannot do.
    take(UnsafeBufferPointer(start: samples, count: frames * channels))
  }

  private func decode(pages bytes: Span<UInt8>, atMost seconds: Double) throws(AudioError) {
    if bytes.count > OggPage.bytesMax, let packets = OggPage.packets(in: bytes) {
      for packet in packets { try decode(packet.span, atMost: seconds) }
      return
    }
    var place = 0
    while case .page(let page) = OggPage.read(in: bytes, at: place) {
      var packets = OggPagePackets(page)
      while let packet = packets.next(in: bytes) {
        try decode(bytes.extracting(packet), atMost: seconds)
      }
      place = page.range.upperBound
    }
    guard place == bytes.count else {
      throw AudioError(
        call: "avcodec_send_packet", code: 0, reason: "these bytes are no pages of Ogg",
        advice: "Go on with a new decoder.")
    }
  }

  private func decode(_ packet: Span<UInt8>, atMost seconds: Double) throws(AudioError) {
    // libavcodec would take headers between packets, which nobody has judged.
    if codec == .vorbis, packet.count > 0, packet[0] & 1 == 1 { return }
    // libavcodec gets a copy of the bytes.
    let code = packet.withUnsafeBufferPointer { cav_decode(decoder, $0.baseAddress, $0.count) }
    guard code >= 0 else {
      throw AudioError(
        call: "avcodec_receive_frame", code: code, reason: Self.text(of: code),
        advice: "Look whether these bytes are \(codec.name), and go on with a new decoder.")
    }
    var frames = 0
    _ = cav_samples(decoder, &frames)
    if Double(frames) > seconds * Double(cav_rate(decoder)) { throw .tooLong(seconds) }
  }

  static func text(of code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
      guard let start = text.baseAddress else { return "" }
      start.initialize(repeating: 0, count: text.count)
      cav_text(code, start, text.count)
      return String(cString: start)
    }
  }

  private static func identifier(of codec: Codec) -> cav_codec? {
    switch codec {
    case .mp1, .mp2, .mp3: nil
    case .aac: CAV_AAC
    case .opus: CAV_OPUS
    case .vorbis: CAV_VORBIS
    case .flac: CAV_FLAC
    case .speex: CAV_SPEEX
    }
  }
}

// MARK: The library

extension AvDecoder {
  /// The version of the library, such as "59.37.100"; nil where it cannot be used. The first question loads it.
  public static var libraryVersion: String? {
    let version = cav_version()
    return version == 0 ? nil : "\(version >> 16).\(version >> 8 & 255).\(version & 255)"
  }

  /// Why a codec cannot be decoded; nil where it can.
  public static func refusal(of codec: Codec) -> AudioError? { refusal(ofName: codec.name) }

  static func refusal(ofName name: String) -> AudioError? {
    switch cav_state() {
    case CAV_READY: return nil
    case CAV_NOT_BUILT:
      return AudioError(
        call: "dlopen", code: 0,
        reason: "\(name) needs libavcodec, without which this program was built",
        advice: "Install libavcodec-dev and build it anew.")
    default:
      let problem = String(cString: cav_problem())
      return AudioError(
        call: "dlopen", code: 0,
        reason: "\(name) needs libavcodec \(cav_major()), which is not installed",
        advice: "Install libavcodec\(cav_major()); the loader says: \(problem).")
    }
  }
}

// MARK: What the headers say

extension AvDecoder {
  /// The codec's own setup, as files other than Ogg have it.
  private static func setup(_ codec: Codec, _ pages: [UInt8]) throws(AudioError) -> [UInt8] {
    guard codec.isOgg else { return [] }
    guard let headers = OggHeaders.read(pages: pages.span)?.headers, headers.format.codec == codec,
      let first = headers.packets.first
    else {
      throw AudioError(
        call: "avcodec_open2", code: 0, reason: "the headers of \(codec.name) are missing",
        advice: "Begin with the headers of the stream.")
    }
    if let refusal = HeaderRefusal(of: codec, headers.packets) {
      throw AudioError(
        call: "avcodec_open2", code: 0, reason: refusal.reason,
        advice: "Send a stream as ordinary encoders make it.")
    }
    switch codec {
    case .vorbis: return laced(headers.packets)
    // STREAMINFO, behind the mapping's own 13 bytes and the head of its block.
    case .flac: return Array(first.dropFirst(17).prefix(34))
    default: return first
    }
  }

  /// Packets in a row as Xiph laces them: their number less one, the lengths of all but the last, the packets.
  private static func laced(_ packets: [[UInt8]]) -> [UInt8] {
    var bytes = [UInt8(clamping: packets.count - 1)]
    for packet in packets.dropLast() {
      bytes += [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
    }
    return bytes + packets.joined()
  }
}
