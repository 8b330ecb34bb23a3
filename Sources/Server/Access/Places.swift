import Synchronization
import Wire

/// Counts the places of each address in the whole process; in IPv6, what one customer has is one address. Asked once a
/// request or connection, never on the hot path.
public final class AddressPlaces: Sendable {
  /// Factor by which a /48 may have more than one of its /64s: it may belong to one customer or to some hundred.
  static let siteFactor = 8

  private struct State {
    var max = 0
    var places: [AddressBlock: Int] = [:]
  }

  private let state = Mutex(State())
  /// Whether the places of a /48 are counted too.
  private let countsSites: Bool

  public init(countsSites: Bool = false) { self.countsSites = countsSites }

  /// Sets how many places an address may have; 0 for no limit.
  public func setMax(_ max: Int) { state.withLock { $0.max = max } }

  /// Reserves a place; false when the address has all it may have. The administration's own socket has no limit.
  public func reserve(_ block: AddressBlock?) -> Bool {
    guard let block else { return true }
    return state.withLock { state in
      let keys = keys(block)
      for (key, share) in keys where state.max > 0 {
        let most = state.max.saturatingMultiply(share)
        if state.places[key, default: 0] >= most { return false }
      }
      for (key, _) in keys { state.places[key, default: 0] += 1 }
      return true
    }
  }

  /// Returns how many places an address has; where /48s are counted, how many all addresses of its /48 have.
  func reserved(_ block: AddressBlock) -> Int {
    state.withLock { state in
      keys(block).map { state.places[$0.block, default: 0] }.max() ?? 0
    }
  }

  /// Counts a place, even one beyond the limit.
  func add(_ block: AddressBlock) {
    state.withLock { state in
      for (key, _) in keys(block) { state.places[key, default: 0] += 1 }
    }
  }

  public func release(_ block: AddressBlock?) {
    guard let block else { return }
    state.withLock { state in
      for (key, _) in keys(block) {
        guard let taken = state.places[key] else { continue }
        state.places[key] = taken > 1 ? taken - 1 : nil
      }
    }
  }

  private func keys(_ block: AddressBlock) -> [(block: AddressBlock, share: Int)] {
    countsSites ? block.withSite(share: Self.siteFactor) : [(block, 1)]
  }
}
