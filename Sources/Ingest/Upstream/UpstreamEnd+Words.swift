extension UpstreamEnd {
  /// The reason for the station's state; equal failures give equal words.
  var reason: String {
    switch self {
    case .playlist, .fileComplete: ""
    case .empty: "the answer was empty"
    case .status(508, _):
      "the upstream plays what this station itself plays (508): name the broadcaster's own address"
    case .status(let status, _): "the upstream answered \(status)"
    case .tooSlow(let rate): "the upstream delivers at \(Self.rounded(rate)) of real time"
    case .saidGoodbye(let reason), .disconnected(let reason), .notAudio(let reason),
      .timedOut(let reason), .failed(let reason), .programEnded(let reason, _):
      reason
    }
  }

  func event(url: String) -> IngestEvent? {
    switch self {
    case .playlist, .fileComplete: nil
    case .empty: .missingContent(url: url)
    case .status(404, _), .status(410, _): .notFound(url: url)
    case .status(let status, _): .httpError(status: status, url: url)
    case .notAudio(let reason): .badContent(reason: reason, url: url)
    case .tooSlow(let rate): .tooSlow(rate: Self.rounded(rate), url: url)
    case .timedOut(let reason): .timeout(reason: reason, url: url)
    case .saidGoodbye(let reason), .disconnected(let reason), .failed(let reason):
      .failure(reason: reason, url: url)
    case .programEnded(let reason, _): .programEnded(reason: reason, url: url)
    }
  }

  /// Why an upstream that gave audio gives no more; nil for a playlist, which has given none.
  var loss: UpstreamLoss? {
    switch self {
    case .playlist: nil
    case .fileComplete: .ended
    case .failed, .status: .failed
    case .saidGoodbye, .disconnected, .empty: .closed
    case .programEnded: .program
    case .notAudio: .notAudio
    case .timedOut: .timeout
    case .tooSlow: .tooSlow
    }
  }

  private static func rounded(_ rate: Double) -> Double { (rate * 100).rounded() / 100 }
}
