/// A place in media time that goes on at the pace of the clock, so that what is measured there comes evenly.
struct PlayPoint {
  /// Seconds by which it is behind the edge, where it begins.
  let lag: Double
  /// Seconds behind the edge beyond which it is brought back to `lag`.
  let lagMax: Double
  private var anchor: (media: Double, time: Double)?

  init(lag: Double, lagMax: Double) { (self.lag, self.lagMax) = (lag, lagMax) }

  /// Media seconds up to which all is due.
  ///
  /// - Parameters:
  ///   - edge: Media seconds.
  ///   - oldest: Media seconds.
  ///   - time: Seconds of the monotonic clock.
  mutating func due(edge: Double, oldest: Double, at time: Double) -> Double {
    guard let anchor else { return move(to: max(oldest, edge - lag), at: time) }
    let media = anchor.media + max(0, time - anchor.time)
    // Where nothing comes it waits, and is then as far behind as what comes makes it.
    if media > edge { return move(to: edge, at: time) }
    if edge - media > lagMax { return move(to: max(oldest, edge - lag), at: time) }
    return media
  }

  private mutating func move(to media: Double, at time: Double) -> Double {
    anchor = (media, time)
    return media
  }
}
