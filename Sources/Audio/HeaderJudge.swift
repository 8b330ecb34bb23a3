import Wire

/// Why a stream's headers are refused that libavcodec might take: what a decoder costs is said by them.
enum HeaderRefusal: Hashable {
  case damaged, channels, streams, codebooks, floor, followed

  private static let channelsMax = 8
  private static let opusStreamsMax = 8
  /// Of all codebooks together; those of libvorbis have at most 19,413 words and 85,928 values.
  private static let wordsMax = 1 << 16
  private static let valuesMax = 1 << 20
  /// Of the codebooks with words longer than 24 bits, whose tables have up to 2,048 places for a word.
  private static let deepWordsMax = 1 << 13

  var reason: String {
    switch self {
    case .damaged: "its headers are damaged"
    case .channels: "it has more than \(Self.channelsMax) channels"
    case .streams: "its headers ask for more than \(Self.opusStreamsMax) streams of Opus"
    case .codebooks: "its headers ask for larger codebooks than any encoder makes"
    case .floor: "it has floors of type 0, which no encoder has made since 2001"
    case .followed: "its setup goes on behind its end"
    }
  }

  /// Judges the header packets of a stream, in time by their bytes.
  init?(of codec: Codec, _ packets: [[UInt8]]) {
    let found: HeaderRefusal? =
      switch codec {
      case .vorbis: Self.ofVorbis(packets)
      case .opus: Self.ofOpus(packets.first ?? [])
      // Their headers ask for no more than a frame may have.
      case .mp1, .mp2, .mp3, .aac, .flac, .speex: nil
      }
    guard let found else { return nil }
    self = found
  }

  private static func ofVorbis(_ packets: [[UInt8]]) -> HeaderRefusal? {
    // The number of channels is behind the version (Vorbis I §4.2.2).
    guard packets.count == 3, packets[0].count >= 12 else { return .damaged }
    let channels = Int(packets[0][11])
    if channels > channelsMax { return .channels }
    guard let setup = VorbisSetup(packets[2], channels: channels) else { return .damaged }
    if setup.words > wordsMax || setup.values > valuesMax || setup.deepWords > deepWordsMax {
      return .codebooks
    }
    // A packet of 21 bytes may ask for milliseconds of them.
    if setup.hasFloorZero { return .floor }
    return setup.isFollowed ? .followed : nil
  }

  /// OpusHead (RFC 7845 §5.1).
  private static func ofOpus(_ head: [UInt8]) -> HeaderRefusal? {
    guard head.count >= 19 else { return .damaged }
    if Int(head[9]) > channelsMax { return .channels }
    if head[18] == 0 { return nil }
    guard head.count >= 21 else { return .damaged }
    return Int(head[19]) > opusStreamsMax ? .streams : nil
  }
}
