import Synchronization

/// Stations, and places in their past, whose sound is decoded for watchers of events: so many of an address, and of
/// all strangers. Those who watch the same share it. Asked once a watcher.
final class SoundPlaces<Place: Hashable & Sendable>: Sendable {
  enum Admission { case admitted, full, tooManyOfAddress }

  /// Of an address; a /48 has as many times more as of other places.
  static var perAddress: Int { 8 }
  /// Of all addresses together.
  static var all: Int { 256 }

  private struct State {
    /// Watchers of each place by address.
    var ofAddresses: [AddressBlock: [Place: Int]] = [:]
    var watchers: [Place: Int] = [:]
  }

  private let state = Mutex(State())

  /// Reserves a place for a watcher.
  ///
  /// - Parameter block: nil for the administration's own socket, which has no limit.
  func reserve(_ place: Place, for block: AddressBlock?) -> Admission {
    guard let block else { return .admitted }
    return state.withLock { state in
      let shares = block.withSite(share: AddressPlaces.siteFactor)
      for (key, share) in shares {
        let taken = state.ofAddresses[key] ?? [:]
        if taken[place] == nil, taken.count >= Self.perAddress * share { return .tooManyOfAddress }
      }
      if state.watchers[place] == nil, state.watchers.count >= Self.all { return .full }
      for (key, _) in shares { state.ofAddresses[key, default: [:]][place, default: 0] += 1 }
      state.watchers[place, default: 0] += 1
      return .admitted
    }
  }

  func release(_ place: Place, for block: AddressBlock?) {
    guard let block else { return }
    state.withLock { state in
      for key in block.withSite {
        Self.drop(place, from: &state.ofAddresses[key, default: [:]])
        if state.ofAddresses[key]?.isEmpty == true { state.ofAddresses[key] = nil }
      }
      Self.drop(place, from: &state.watchers)
    }
  }

  private static func drop(_ place: Place, from counts: inout [Place: Int]) {
    guard let count = counts[place] else { return }
    counts[place] = count > 1 ? count - 1 : nil
  }
}
