import Wire

/// The items of a piece of a body, in the order of the audio.
struct Arrivals {
  enum Item: Hashable {
    /// The title of the next packet, in whose bytes the upstream's block stood.
    case title(Title)
    /// The headers of the Ogg stream whose pages are the following packets.
    case headers(OggHeaders)
    /// A packet; its `range` is in `bytes`.
    case packet(PacketScanner.Packet)
    /// Seconds of audio that cannot be carried: a packet too long for the log.
    case lost(seconds: Double)
  }

  var items: [Item] = []
  /// The packets' bytes, with others between them.
  var bytes: [UInt8] = []
  /// The place of the first packet in the log of an upstream that is a relay; nil if not known.
  var place: RelayPlace?
  /// The bytes of the piece besides whole packets, as `BesidesBrake` counts.
  ///
  /// Negative when the piece ended a packet that began in earlier ones.
  var besides = 0

  var isEmpty: Bool { items.isEmpty }

  var hasPackets: Bool {
    items.contains { if case .packet = $0 { true } else { false } }
  }
}
