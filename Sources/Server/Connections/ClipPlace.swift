/// Reservation of a connection that is sent a clip, or samples.
final class ClipPlace {
  /// Address whose limits apply; nil for the administration's own socket, which has no limits.
  let customer: AddressBlock?
  /// Nanoseconds that the socket may take nothing, as for a listener of the station; nil for any length of time.
  let patience: Int64?
  /// Whether samples are sent, of which an address may have others than clips.
  let isTap: Bool

  init(customer: AddressBlock?, patience: Int64?, isTap: Bool = false) {
    (self.customer, self.patience, self.isTap) = (customer, patience, isTap)
  }
}
