extension UpstreamEnd {
  /// The reason for the station's state; equal failures give equal words.
  var reason: String {
    switch self {
    case .playlist, .fileComplete: ""
    case .empty: "the answer was empty"
    case .status(508):
      "the upstream plays what this station itself plays (508): name the broadcaster's own address"
    case .status(let status): "the upstream answered \(status)"
    case .tooSlow(let rate): "the upstream delivers at \(Self.rounded(rate)) of real time"
    case .saidGoodbye(let reason), .disconnected(let reason), .notAudio(let reason),
      .timedOut(let reason), .failed(let reason), .hopeless(let reason):
      reason
    }
  }

  /// - Parameter isProgram: whether the upstream is what a program writes.
  func event(url: String, isProgram: Bool) -> IngestEvent? {
    switch self {
    case .playlist, .fileComplete: nil
    case .empty: .missingContent(url: url)
    case .status(404), .status(410): .notFound(url: url)
    case .status(let status): .httpError(status: status, url: url)
    case .notAudio(let reason): .badContent(reason: reason, url: url)
    case .tooSlow(let rate): .tooSlow(rate: Self.rounded(rate), url: url)
    case .timedOut(let reason): .timeout(reason: reason, url: url)
    case .saidGoodbye(let reason), .disconnected(let reason), .failed(let reason),
      .hopeless(let reason):
      isProgram ? .programEnded(reason: reason, url: url) : .failure(reason: reason, url: url)
    }
  }

  /// Why an upstream that gave audio gives no more; nil for a playlist, which has given none.
  func loss(isProgram: Bool) -> UpstreamLoss? {
    switch self {
    case .playlist: nil
    case .fileComplete: .ended
    case .failed: isProgram ? .program : .failed
    case .saidGoodbye, .disconnected, .empty, .hopeless: isProgram ? .program : .closed
    case .status: .failed
    case .notAudio: .notAudio
    case .timedOut: .timeout
    case .tooSlow: .tooSlow
    }
  }

  private static func rounded(_ rate: Double) -> Double { (rate * 100).rounded() / 100 }
}
