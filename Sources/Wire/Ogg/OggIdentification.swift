/// The contents of the first packet of a logical stream.
struct OggIdentification {
  var codec: Codec
  var sampleRate: Int
  var channels: Int
  /// The number of header packets after the first; 0 for FLAC, where a packet says that it is the last.
  var furtherHeaders: Int
  /// The samples of every Speex packet; 0 for other codecs.
  var packetSamples = 0
  /// The samples of Opus that are not heard at the link's beginning; 0 for other codecs.
  var preSkip = 0
  /// The packet, without the bytes that may differ between two streams that one decoder can play in a row.
  var stable: [UInt8]

  // Opus has the longest packet: 21 bytes and one for each of 255 channels.
  static let bytesMax = 1024

  /// - Returns: Nil for an unsupported codec, and for a malformed packet.
  init?(_ packet: [UInt8]) {
    guard packet.count <= Self.bytesMax else { return nil }
    let bytes = packet.span
    if bytes.holds("OpusHead", at: 0), packet.count >= 19, packet[8] & 0xF0 == 0, packet[9] > 0 {
      (codec, sampleRate, channels, furtherHeaders) = (.opus, 48_000, Int(packet[9]), 1)
      stable = packet
      preSkip = Int(bytes.littleEndian(10..<12))
      // A decoder should discard 80 ms after a join in the middle, until it has settled (RFC 7845 §4.5).
      stable.replaceSubrange(10..<12, with: [0x00, 0x0F])  // 3840
      // The encoder's input rate is set to 48 kHz, since the true rate is not kept.
      stable.replaceSubrange(12..<16, with: [0x80, 0xBB, 0, 0])
    } else if packet.first == 1, bytes.holds("vorbis", at: 1), packet.count >= 30 {
      (codec, channels, furtherHeaders) = (.vorbis, Int(packet[11]), 2)
      sampleRate = Int(bytes.littleEndian(12..<16))
      stable = packet
    } else if packet.first == 0x7F, bytes.holds("FLAC", at: 1), packet.count >= 51,
      packet[5] == 1, bytes.holds("fLaC", at: 9), packet[13] & 0x7F == 0
    {
      // STREAMINFO begins at 17; the rate has 20 bits, the number of channels less one 3 bits.
      (codec, furtherHeaders) = (.flac, 0)
      sampleRate = Int(packet[27]) << 12 | Int(packet[28]) << 4 | Int(packet[29] >> 4)
      channels = Int(packet[29] >> 1 & 7) + 1
      stable = Self.stableFLAC(packet)
    } else if bytes.holds("Speex   ", at: 0), packet.count >= 80 {
      (codec, channels) = (.speex, Int(packet[48]))
      sampleRate = Int(bytes.littleEndian(36..<40))
      // Both factors have 32 bits, so their product fits 64 unsigned bits.
      let samples = bytes.littleEndian(56..<60) * bytes.littleEndian(64..<68)
      guard samples > 0, samples <= UInt64(sampleRate) else { return nil }
      packetSamples = Int(samples)
      furtherHeaders = 1 + Int(packet[68])
      stable = packet
      stable[68] = 0
    } else {
      return nil
    }
    guard (1_000...768_000).contains(sampleRate), channels > 0 else { return nil }
  }

  /// Returns the packet with one further header announced and without the frame sizes, samples and digest of the whole.
  private static func stableFLAC(_ packet: [UInt8]) -> [UInt8] {
    var stable = Array(packet.prefix(51))
    (stable[7], stable[8], stable[13]) = (0, 1, 0)
    for index in 21..<27 { stable[index] = 0 }
    stable[30] &= 0xF0
    for index in 31..<51 { stable[index] = 0 }
    return stable
  }
}
