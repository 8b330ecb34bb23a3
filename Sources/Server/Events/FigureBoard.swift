import Synchronization

/// The latest figures of each kind and station. Any thread writes them, and the loops read them for their watchers. A
/// watcher is told the newest figure, at most once in a kind's interval, and never one that was replaced.
public final class FigureBoard: Sendable {
  private struct Figure {
    var version: UInt64
    var isListed: Bool
    var text: [UInt8]
  }

  private struct State {
    var figures: [FigureKey: Figure] = [:]
    var version: UInt64 = 0
    /// Number of watchers of each kind, station and moment.
    var wishes: [FigureKey: Int] = [:]

    func isWanted(_ key: FigureKey) -> Bool {
      wishes[key] != nil || (key.moment == nil && wishes[FigureKey(key.kind)] != nil)
    }
  }

  /// Nanoseconds between two figures of a kind, by kind.
  private let intervals: [String: Int64]
  /// Kinds of which there are figures for moments of the past too.
  private let ofMoments: Set<String>
  private let state = Mutex(State())
  private let newest = Atomic<UInt64>(0)
  private let wanted: @Sendable (FigureKey) -> Void

  /// - Parameters:
  ///   - intervals: time between two figures that one watcher is told, by kind.
  ///   - ofMoments: kinds of which there are figures for moments of the past too.
  ///   - wanted: called with what has got its first watcher, on a loop's thread: it must not block.
  public init(
    intervals: [String: Duration] = [:], ofMoments: Set<String> = [],
    wanted: @escaping @Sendable (FigureKey) -> Void = { _ in }
  ) {
    self.intervals = intervals.mapValues { Int64($0 / .nanoseconds(1)) }
    self.ofMoments = ofMoments
    self.wanted = wanted
  }

  // MARK: Writing

  /// Whether figures of a kind are to be made: for any station, or for one.
  public func isWatched(_ kind: String) -> Bool {
    state.withLock { $0.wishes.keys.contains { $0.kind == kind } }
  }

  public func isWatched(_ kind: String, station: String?) -> Bool {
    state.withLock { $0.isWanted(FigureKey(kind, station: station)) }
  }

  /// What is watched of the kinds that also have moments.
  public var wishesOfMoments: [FigureKey] {
    state.withLock { $0.wishes.keys.filter { ofMoments.contains($0.kind) } }
  }

  /// Puts a figure in the place of the one before. A figure without watchers is not kept.
  ///
  /// - Parameter isListed: whether strangers are told it who do not name its station.
  public func put(_ key: FigureKey, isListed: Bool = true, json: String) {
    let text = ServerSentEvent.text(kind: key.kind, json: json)
    state.withLock { state in
      guard state.isWanted(key) else { return }
      state.version += 1
      state.figures[key] = Figure(version: state.version, isListed: isListed, text: text)
      newest.store(state.version, ordering: .releasing)
    }
  }

  // MARK: Watching

  /// The version of the newest figure of any kind.
  var newestVersion: UInt64 { newest.load(ordering: .acquiring) }

  /// Returns the place whose sound a filter wants decoded; nil for none.
  func soundPlace(of filter: EventFilter) -> FigureKey? {
    guard filter.isOfRing, filter.kinds?.isDisjoint(with: ofMoments) == false else { return nil }
    return FigureKey("", station: filter.station, moment: filter.moment)
  }

  /// Returns what a filter wants of figures, with the nanoseconds between two of them: other kinds are events.
  func wishes(of filter: EventFilter) -> [(key: FigureKey, interval: Int64)] {
    guard filter.isOfRing else { return [] }
    return (filter.kinds ?? []).sorted().compactMap { kind in
      guard let interval = intervals[kind] else { return nil }
      let isOfMoment = ofMoments.contains(kind)
      let wished = isOfMoment ? filter.figureInterval : 0
      let key = FigureKey(
        kind, station: filter.station, moment: isOfMoment ? filter.moment : nil)
      return (key, max(interval, wished))
    }
  }

  func watch(_ key: FigureKey) {
    let isFirst = state.withLock { state in
      defer { state.wishes[key, default: 0] += 1 }
      return state.wishes[key] == nil
    }
    if isFirst { wanted(key) }
  }

  /// Removes a watcher. With the last watcher its figures go, so that the next one is told no old ones.
  func unwatch(_ key: FigureKey) {
    state.withLock { state in
      guard let count = state.wishes[key] else { return }
      state.wishes[key] = count > 1 ? count - 1 : nil
      if count == 1 {
        state.figures = state.figures.filter { $0.key.kind != key.kind || state.isWanted($0.key) }
      }
    }
  }

  /// Returns the newest figures with versions in a range, oldest first.
  ///
  /// - Parameters:
  ///   - key: without a station, those of all stations.
  ///   - withUnlisted: whether that includes stations that no list for everybody has.
  func text(
    _ key: FigureKey, after version: UInt64, through last: UInt64 = .max, withUnlisted: Bool
  ) -> (text: [UInt8], last: UInt64) {
    state.withLock { state in
      if key.station != nil {
        let figure = state.figures[key].flatMap {
          $0.version > version && $0.version <= last ? $0.text : nil
        }
        return (figure ?? [], state.version)
      }
      let found = state.figures.filter { place, figure in
        place.kind == key.kind && place.moment == key.moment && figure.version > version
          && figure.version <= last && (figure.isListed || withUnlisted)
      }
      let inOrder = found.values.sorted { $0.version < $1.version }
      return (inOrder.flatMap(\.text), state.version)
    }
  }
}
