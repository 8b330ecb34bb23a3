// Reports on all loops' listeners that copy out none of them, or only some.
extension RelayServer {
  /// Returns a part of the list of listeners. Each loop walks its listeners once, and copies out at most `limit`.
  public func listeners(_ listing: ListenerListing) async -> ListenerPage {
    var all = ListenerShare()
    for loop in loops { all.add(await loop.share(of: listing)) }
    return all.page(limit: listing.limit)
  }

  /// Counts a station's listeners by their places in time.
  ///
  /// - Parameter window: media seconds of the station's past.
  public func audience(of station: String, window: Double) async -> StationAudience {
    var audience = StationAudience(window: window)
    for loop in loops { audience.add(await loop.count(station, window: window)) }
    return audience
  }

  /// Returns where in the past listeners are now, counted loop by loop.
  public func replays() async -> ReplaySample {
    var sample = ReplaySample()
    for loop in loops { sample.add(await loop.replays()) }
    return sample
  }

  /// Returns which seconds of some logs are heard now, counted loop by loop.
  ///
  /// - Parameter logs: serial numbers of the logs.
  public func hearings(of logs: Set<UInt64>) async -> HearingSample {
    var sample = HearingSample()
    for loop in loops { sample.add(await loop.hearings(of: logs)) }
    return sample
  }
}
