import Synchronization

/// The latest figures of each kind and station. Any thread writes them, and the loops read them for their watchers. A
/// watcher is told the newest figure, at most once in a kind's interval, and never one that was replaced.
public final class FigureBoard: Sendable {
  private struct Place: Hashable {
    var kind: String
    /// Station of the figure; nil for the server, or among wishes for any station.
    var station: String?
  }

  private struct Figure {
    var version: UInt64
    var text: [UInt8]
  }

  private struct State {
    var figures: [Place: Figure] = [:]
    var version: UInt64 = 0
    /// Number of watchers of each kind and station.
    var wishes: [Place: Int] = [:]

    func isWanted(_ place: Place) -> Bool {
      wishes[place] != nil || wishes[Place(kind: place.kind)] != nil
    }
  }

  /// Nanoseconds between two figures of a kind, by kind.
  let intervals: [String: Int64]
  private let state = Mutex(State())
  private let newest = Atomic<UInt64>(0)
  private let wanted: @Sendable (_ kind: String) -> Void

  /// - Parameters:
  ///   - intervals: time between two figures that one watcher is told, by kind.
  ///   - wanted: called with the kind when its first watcher has come, on a loop's thread: it must not block.
  public init(
    intervals: [String: Duration] = [:],
    wanted: @escaping @Sendable (_ kind: String) -> Void = { _ in }
  ) {
    self.intervals = intervals.mapValues { Int64($0 / .nanoseconds(1)) }
    self.wanted = wanted
  }

  // MARK: Writing

  /// Whether figures of a kind are to be made: for any station, or for one.
  public func isWatched(_ kind: String) -> Bool {
    state.withLock { $0.wishes.keys.contains { $0.kind == kind } }
  }

  public func isWatched(_ kind: String, station: String?) -> Bool {
    state.withLock { $0.isWanted(Place(kind: kind, station: station)) }
  }

  /// Puts a figure in the place of the one before. A figure without watchers is not kept.
  public func put(kind: String, station: String?, json: String) {
    let text = ServerSentEvent.text(kind: kind, json: json)
    state.withLock { state in
      let place = Place(kind: kind, station: station)
      guard state.isWanted(place) else { return }
      state.version += 1
      state.figures[place] = Figure(version: state.version, text: text)
      newest.store(state.version, ordering: .releasing)
    }
  }

  // MARK: Watching

  /// The version of the newest figure of any kind.
  var newestVersion: UInt64 { newest.load(ordering: .acquiring) }

  /// Returns the kinds of figures among those that a filter names: all the others are events.
  func kinds(of filter: EventFilter) -> [String] {
    (filter.kinds ?? []).filter { intervals[$0] != nil }
  }

  func watch(_ kind: String, station: String?) {
    let isFirst = state.withLock { state in
      defer { state.wishes[Place(kind: kind, station: station), default: 0] += 1 }
      return !state.wishes.keys.contains { $0.kind == kind }
    }
    if isFirst { wanted(kind) }
  }

  /// Removes a watcher. With the last watcher its figures go, so that the next one is told no old ones.
  func unwatch(_ kind: String, station: String?) {
    state.withLock { state in
      let place = Place(kind: kind, station: station)
      guard let count = state.wishes[place] else { return }
      state.wishes[place] = count > 1 ? count - 1 : nil
      if count == 1 {
        state.figures = state.figures.filter { $0.key.kind != kind || state.isWanted($0.key) }
      }
    }
  }

  /// Returns the newest figures of a kind with versions in a range, oldest first.
  ///
  /// - Parameter station: nil for all stations.
  func text(
    _ kind: String, station: String?, after version: UInt64, through last: UInt64 = .max
  ) -> (text: [UInt8], last: UInt64) {
    state.withLock { state in
      let found = state.figures.filter { place, figure in
        place.kind == kind && (station == nil || place.station == station)
          && figure.version > version && figure.version <= last
      }
      let inOrder = found.values.sorted { $0.version < $1.version }
      return (inOrder.flatMap(\.text), state.version)
    }
  }
}
