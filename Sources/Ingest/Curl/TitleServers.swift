import Wire

/// The servers that have answered a request for ICY titles, as one station has met them.
///
/// If one of them hangs up later, that is no refusal of titles. Lives on the ingest loop.
final class TitleServers {
  private static let countMax = 64

  private var origins: Set<URLOrigin> = []

  func contains(_ origin: URLOrigin) -> Bool { origins.contains(origin) }

  func note(_ origin: URLOrigin) {
    if origins.count < Self.countMax { origins.insert(origin) }
  }
}
