/// An answer's body on its way, and what its loop remembers of it.
final class Sending {
  /// Tells this body from the connection's earlier and later ones.
  let number: UInt64
  let body: any Body
  /// Address that stands in line for turns; nil for the administration's own socket.
  let customer: AddressBlock?
  /// Nanoseconds that the socket may take nothing, as for a listener of the station; nil for any length of time.
  let patience: Int64?
  /// Whether the connection stands in line for its turn of the prompt share.
  var isInTurn = false
  var reading: SlowReading
  /// Bytes that the socket took.
  var bytes: UInt64 = 0

  init(
    _ number: UInt64, _ body: any Body, for customer: AddressBlock?, patience: Int64?, now: Int64
  ) {
    self.number = number
    self.body = body
    self.customer = customer
    self.patience = patience
    reading = SlowReading(now: now)
  }
}
