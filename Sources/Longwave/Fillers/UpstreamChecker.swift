import Ingest

/// Tries URLs that are not a station's yet, some at a time.
package actor UpstreamChecker {
  /// Requests that are answered at once; each tries up to `urlsMax` URLs for seconds.
  static let runningMax = 2
  /// URLs of one request.
  package static let urlsMax = 8

  private let look: @Sendable ([String], UpstreamSettings) async -> [UpstreamFinding]
  private var running = 0

  init(_ check: @escaping @Sendable ([String], UpstreamSettings) async -> [UpstreamFinding]) {
    look = check
  }

  /// Returns what is found at each URL, in their order.
  func check(
    _ urls: [String], by settings: UpstreamSettings
  ) async throws(RelayError) -> [UpstreamFinding] {
    guard running < Self.runningMax else { throw .tooManyChecks }
    running += 1
    defer { running -= 1 }
    return await look(Array(urls.prefix(Self.urlsMax)), settings)
  }
}
