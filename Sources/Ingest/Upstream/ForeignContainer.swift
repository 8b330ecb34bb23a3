/// A container of audio that is not relayed, told by its bytes or its media type.
enum ForeignContainer: CaseIterable {
  case flac, mp4, webm, asf, mpegTS, loas

  /// Tells the container by a body's first bytes, where they are unmistakable.
  init?(beginning bytes: [UInt8]) {
    if bytes.starts(with: "fLaC".utf8) {
      self = .flac
    } else if ["ftyp", "styp", "moof", "moov"].contains(where: { bytes.has($0, at: 4) }) {
      self = .mp4
    } else if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
      // EBML's header (RFC 8794, section 11.2.1), of Matroska and WebM.
      self = .webm
    } else if bytes.starts(with: [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11]) {
      // ASF_Header_Object (ASF specification, section 10.1).
      self = .asf
    } else {
      return nil
    }
  }

  /// Tells the container of a body without any frame that is known.
  ///
  /// - Parameter bytes: Its first bytes; a live stream begins anywhere.
  init?(of bytes: [UInt8], mediaType: String?) {
    if let begun = Self(beginning: bytes) ?? Self(beginning: Self.behindTag(bytes)) {
      self = begun
    } else if Self.isTransportStream(bytes) {
      self = .mpegTS
    } else if Self.isLOAS(bytes) {
      self = .loas
    } else if let typed = mediaType.flatMap({ type in Self.types.first { $0.type == type } }) {
      self = typed.container
    } else {
      return nil
    }
  }

  /// Why it is not played, and what is.
  var reason: String {
    switch self {
    case .flac: "this is native FLAC, which is not relayed; Ogg FLAC is"
    case .mp4: "this is MP4, which is not relayed; AAC in ADTS is"
    case .webm: "this is WebM or Matroska, which is not relayed; Opus and Vorbis in Ogg are"
    case .asf: "this is Windows Media (ASF), which is not relayed; MP3, AAC and Ogg are"
    case .mpegTS: "this is an MPEG transport stream, which is not relayed; MP3 and AAC in ADTS are"
    case .loas: "this is AAC in LATM/LOAS, which is not relayed; AAC in ADTS is"
    }
  }

  private static let types: [(type: String, container: ForeignContainer)] = [
    ("audio/flac", .flac), ("audio/x-flac", .flac), ("audio/mp4", .mp4), ("video/mp4", .mp4),
    ("audio/x-m4a", .mp4), ("audio/webm", .webm), ("video/webm", .webm),
    ("audio/x-matroska", .webm), ("video/x-matroska", .webm), ("audio/x-ms-wma", .asf),
    ("application/vnd.ms-asf", .asf), ("video/x-ms-asf", .asf), ("video/x-ms-wmv", .asf),
    ("video/mp2t", .mpegTS), ("audio/mp4a-latm", .loas),
  ]

  /// The bytes behind an ID3v2 tag, whose length stands in four bytes of seven bits (ID3v2.4, section 3.1).
  private static func behindTag(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.starts(with: "ID3".utf8), bytes.count > 10 else { return [] }
    let length = bytes[6..<10].reduce(0) { $0 << 7 | Int($1 & 0x7F) }
    return Array(bytes.dropFirst(10 + length))
  }

  /// Whether a sync byte stands at the begin of four packets in a row (ISO 13818-1, section 2.4.3.2).
  private static func isTransportStream(_ bytes: [UInt8]) -> Bool {
    let (packet, sync) = (188, UInt8(0x47))
    guard bytes.count >= 4 * packet else { return false }
    return (0..<packet).contains { start in
      (0..<4).allSatisfy { bytes[start + $0 * packet] == sync }
    }
  }

  /// Whether three AudioSyncStream elements follow each other (ISO 14496-3, section 1.7.2): 11 bits of sync, 13 of length.
  private static func isLOAS(_ bytes: [UInt8]) -> Bool {
    func next(_ place: Int) -> Int? {
      guard place + 2 < bytes.count, bytes[place] == 0x56, bytes[place + 1] & 0xE0 == 0xE0 else {
        return nil
      }
      return place + 3 + (Int(bytes[place + 1] & 0x1F) << 8 | Int(bytes[place + 2]))
    }
    return bytes.indices.contains { next($0).flatMap(next).flatMap(next) != nil }
  }
}

extension [UInt8] {
  fileprivate func has(_ word: String, at place: Int) -> Bool {
    dropFirst(place).starts(with: word.utf8)
  }
}
