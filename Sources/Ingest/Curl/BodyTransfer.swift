/// Receives a transfer's events in this order: at most one answer, then body, then the end.
protocol TransferOwner: AnyObject {
  /// Receives the final response's head; redirects and interim responses are not reported.
  func transfer(_ transfer: any BodyTransfer, answered status: Int, fields: [TransferField])
  /// Receives body bytes of a 2xx response, valid during the call.
  func transfer(_ transfer: any BodyTransfer, delivered piece: Span<UInt8>)
  /// Receives the end; not called for a transfer that its owner has cancelled.
  func transfer(_ transfer: any BodyTransfer, ended end: TransferEnd)
}

/// The source of a body's bytes.
protocol BodyTransfer: AnyObject {
  var isPaused: Bool { get }
  /// Accepts no more bytes until `resume`; the other side's TCP window closes.
  func pause()
  func resume()
  func cancel()
}

/// How a transfer ended.
enum TransferEnd {
  /// The body has ended, and is whole as far as its framing says.
  case complete
  /// The connection was lost inside a body of known length.
  case cut
  case timedOut(reason: String)
  case failed(reason: String)
}
