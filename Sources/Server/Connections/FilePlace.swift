/// Reservation of a connection that is sent a file.
final class FilePlace {
  let mount: Mount
  let client: Peer
  let body: any HeardBody
  let sending: Sending
  /// End of the listening time, monotonic nanoseconds.
  let endsAt: Int64

  init(
    _ mount: Mount, _ client: Peer, _ body: any HeardBody, _ sending: Sending,
    endsAt: Int64
  ) {
    self.mount = mount
    self.client = client
    self.body = body
    self.sending = sending
    self.endsAt = endsAt
  }
}
