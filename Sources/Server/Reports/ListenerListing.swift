import Wire

/// A part of the list of listeners.
public struct ListenerListing: Hashable, Sendable {
  /// What the list is in order of, the greatest first.
  public enum Order: String, Sendable, CaseIterable {
    /// Listening time.
    case seconds
    case offset
    case lag
  }

  public static let limitMax = 1000

  public var order: Order
  /// Only this station's.
  public var station: String?
  /// The place that the part begins behind.
  public var after: ListenerRank?
  /// The most listeners of the part; nil for all.
  public var limit: Int?

  public init(
    order: Order = .seconds, station: String? = nil, after: ListenerRank? = nil, limit: Int? = nil
  ) {
    self.order = order
    self.station = station
    self.after = after
    self.limit = limit
  }
}

/// A listener's place in a list. It says more than the listener's number, so that a list goes on behind a listener that
/// has gone.
public struct ListenerRank: Comparable, Hashable, Sendable {
  let id: UInt64
  /// What the list is in order of: minus infinity where it is not known, so that those come last.
  let value: Double

  /// - Parameter value: nil in a list by listening time: numbers are given in the order of joining.
  init(id: UInt64, value: Double?, in order: ListenerListing.Order) {
    self.id = id
    self.value = order == .seconds ? 0 : value ?? -.infinity
  }

  /// Reads what `text(in:)` wrote.
  public init?(_ text: String, in order: ListenerListing.Order) {
    var value: Double?
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    if order != .seconds {
      guard parts.count == 2 else { return nil }
      if parts[0] != Self.unknown {
        guard let number = Double(parts[0]), number.isFinite  // bounded: it is only compared
        else { return nil }
        value = number
      }
    }
    let number = order == .seconds ? text[...] : parts[1]
    guard let id = UInt64(number) else { return nil }
    self.init(id: id, value: value, in: order)
  }

  private static let unknown = "none"

  /// The place as `VALUE:NUMBER`; in a list by listening time, the listener's number.
  public func text(in order: ListenerListing.Order) -> String {
    if order == .seconds { return "\(id)" }
    return "\(value.isFinite ? "\(value)" : Self.unknown):\(id)"
  }

  public static func < (a: ListenerRank, b: ListenerRank) -> Bool {
    a.value == b.value ? a.id < b.id : a.value > b.value
  }
}

/// A part of the list of listeners, copied out.
public struct ListenerPage: Sendable {
  public var listeners: [ListenerSnapshot] = []
  /// Listeners of the whole list.
  public var total = 0
  /// The place that the next part begins behind; nil when this is the last one.
  public var next: ListenerRank?

  public init() {}
}
