import Wire

/// A Longwave upstream's report about its stream: where the stream begins in the upstream's log.
struct RelayHead: Hashable {
  /// The place of the first packet.
  var place: RelayPlace
  /// Gaps in front of packets that follow, in ascending order.
  var gaps: [RelayGap]
  /// The seconds missing in front of the first packet, of those asked for. Nil where the relay was asked for nothing,
  /// gives all of it, or does not know.
  var lost: Double?
  /// The logs that its audio may come through.
  var via: [LogID] = []

  init(place: RelayPlace, gaps: [RelayGap] = [], lost: Double? = nil) {
    (self.place, self.gaps, self.lost) = (place, gaps, lost)
  }

  /// Nil for an upstream that names no place.
  init?(_ said: UpstreamIdentity) {
    let (log, position) = (RelayField.log.lowercased(), RelayField.position.lowercased())
    guard let place = RelayPlace(log: said[log], position: said[position]) else { return nil }
    self.place = place
    gaps = said[RelayField.gaps.lowercased()].map(RelayGap.read) ?? []
    via = said[RelayField.via.lowercased()].map(RelayVia.read) ?? []
    lost = said[RelayField.lost.lowercased()].flatMap { RelayGap.seconds($0) }
  }
}
