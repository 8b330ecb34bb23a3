import Reactor

/// Reservation of a connection that is sent a clip, or samples.
final class ClipPlace {
  /// The mount when they were asked for.
  let mount: Mount
  /// Client whose address's limits apply; the administration's own socket has none.
  let client: Peer
  /// Nanoseconds that the socket may take nothing, as for a listener of the station; nil for any length of time.
  let patience: Int64?
  /// Whether samples are sent, of which an address may have others than clips.
  let isTap: Bool
  /// End of the listening time, which begins when the first byte is sent; monotonic nanoseconds.
  var endsAt = Int64.max

  init(_ mount: Mount, _ client: Peer, patience: Int64?, isTap: Bool = false) {
    (self.mount, self.client, self.patience, self.isTap) = (mount, client, patience, isTap)
  }

  var customer: AddressBlock? { AddressBlock(client) }
}
