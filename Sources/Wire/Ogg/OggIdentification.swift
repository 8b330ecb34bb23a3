/// What the first packet of a logical stream says.
struct OggIdentification {
  var codec: Codec
  var sampleRate: Int
  var channels: Int
  /// Header packets behind the first; 0: up to one that says it is the last (FLAC).
  var furtherHeaders: Int
  /// Speex: samples of every packet.
  var packetSamples = 0
  /// The packet, without what differs between two streams that one decoder can play in a row.
  var stable: [UInt8]

  // Opus has most: 21 bytes and one for each of 255 channels.
  static let bytesMax = 1024

  /// - Returns: nil for a codec that is not one of ours.
  init?(_ packet: [UInt8]) {
    guard packet.count <= Self.bytesMax else { return nil }
    let bytes = packet.span
    if bytes.holds("OpusHead", at: 0), packet.count >= 19, packet[8] & 0xF0 == 0, packet[9] > 0 {
      (codec, sampleRate, channels, furtherHeaders) = (.opus, 48_000, Int(packet[9]), 1)
      stable = packet
      // Whoever joins in the middle should leave out 80 ms, until the decoder has found in (RFC 7845 §4.5).
      stable.replaceSubrange(10..<12, with: [0x00, 0x0F])  // 3840
      // What the encoder was fed with: 48 kHz, for all we know.
      stable.replaceSubrange(12..<16, with: [0x80, 0xBB, 0, 0])
    } else if packet.first == 1, bytes.holds("vorbis", at: 1), packet.count >= 30 {
      (codec, channels, furtherHeaders) = (.vorbis, Int(packet[11]), 2)
      sampleRate = Int(bytes.littleEndian(12..<16))
      stable = packet
    } else if packet.first == 0x7F, bytes.holds("FLAC", at: 1), packet.count >= 51,
      packet[5] == 1, bytes.holds("fLaC", at: 9), packet[13] & 0x7F == 0
    {
      // STREAMINFO begins at 17: rate in 20 bits, channels less one in 3.
      (codec, furtherHeaders) = (.flac, 0)
      sampleRate = Int(packet[27]) << 12 | Int(packet[28]) << 4 | Int(packet[29] >> 4)
      channels = Int(packet[29] >> 1 & 7) + 1
      stable = Self.stableFLAC(packet)
    } else if bytes.holds("Speex   ", at: 0), packet.count >= 80 {
      (codec, channels) = (.speex, Int(packet[48]))
      sampleRate = Int(bytes.littleEndian(36..<40))
      // Of 32 bits each: the product of two finds room in 64, without a sign.
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

  /// One header packet follows; sizes of frames, samples and digest of the whole are not known.
  private static func stableFLAC(_ packet: [UInt8]) -> [UInt8] {
    var stable = Array(packet.prefix(51))
    (stable[7], stable[8], stable[13]) = (0, 1, 0)
    for index in 21..<27 { stable[index] = 0 }
    stable[30] &= 0xF0
    for index in 31..<51 { stable[index] = 0 }
    return stable
  }
}
