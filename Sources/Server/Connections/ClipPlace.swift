/// Reservation of a connection that is sent a clip.
final class ClipPlace {
  /// Address whose limits apply; nil for the administration's own socket, which has no limits.
  let customer: AddressBlock?
  /// Nanoseconds that the socket may take nothing, as for a listener of the station; nil for any length of time.
  let patience: Int64?

  init(customer: AddressBlock?, patience: Int64?) {
    self.customer = customer
    self.patience = patience
  }
}
