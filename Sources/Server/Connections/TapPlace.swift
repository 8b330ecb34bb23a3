/// Reservation of a connection that is sent samples.
final class TapPlace {
  /// Address whose limits apply; nil for the administration's own socket, which has no limits.
  let customer: AddressBlock?

  init(customer: AddressBlock?) { self.customer = customer }
}
