extension UpstreamEnd {
  /// The reason for the station's state; equal failures give equal words.
  var reason: String {
    switch self {
    case .playlist, .fileComplete: ""
    case .empty: "the answer was empty"
    case .status(let status): "the upstream answered \(status)"
    case .tooSlow(let rate): "the upstream delivers at \(Self.rounded(rate)) of real time"
    case .disconnected(let reason), .notAudio(let reason), .timedOut(let reason),
      .failed(let reason), .hopeless(let reason):
      reason
    }
  }

  func event(url: String) -> IngestEvent? {
    switch self {
    case .playlist, .fileComplete: nil
    case .empty: .missingContent(url: url)
    case .status(404), .status(410): .notFound(url: url)
    case .status(let status): .httpError(status: status, url: url)
    case .notAudio(let reason): .badContent(reason: reason, url: url)
    case .tooSlow(let rate): .tooSlow(rate: Self.rounded(rate), url: url)
    case .timedOut(let reason): .timeout(reason: reason, url: url)
    case .disconnected(let reason), .failed(let reason), .hopeless(let reason):
      .failure(reason: reason, url: url)
    }
  }

  private static func rounded(_ rate: Double) -> Double { (rate * 100).rounded() / 100 }
}
