import Synchronization

/// Counts the threads of this process by kind, and knows its lanes.
///
/// Takes a lock when a thread begins or ends and when lanes are made or removed, never while a thread works.
enum ThreadRegistry {
  private typealias Look = @Sendable () -> ThreadFigures.Lane?

  private static let counts = Mutex<[String: Int]>([:])
  private static let looks = Mutex<[ObjectIdentifier: Look]>([:])

  static func begins(_ name: String) { count(name, by: 1) }
  static func ends(_ name: String) { count(name, by: -1) }

  private static func count(_ name: String, by change: Int) {
    let kind = kind(name)
    counts.withLock { counts in
      let count = counts[kind, default: 0] + change
      counts[kind] = count == 0 ? nil : count
    }
  }

  /// The name without its number: `loop` for `loop.0`.
  static func kind(_ name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    let number = name[name.index(after: dot)...]
    let isNumber = !number.isEmpty && number.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    return isNumber ? String(name[..<dot]) : name
  }

  /// - Parameter look: returns how busy the lanes are; nil when they are being removed.
  static func add(_ lanes: ObjectIdentifier, _ look: @escaping @Sendable () -> ThreadFigures.Lane?)
  {
    looks.withLock { $0[lanes] = look }
  }

  static func remove(_ lanes: ObjectIdentifier) { looks.withLock { $0[lanes] = nil } }

  static func figures() -> ThreadFigures {
    var figures = ThreadFigures()
    figures.kinds = counts.withLock(\.self).map { ThreadFigures.Kind(name: $0, count: $1) }
    figures.kinds.sort { $0.name < $1.name }
    // Called outside the lock, since each `Lanes` takes a lock of its own.
    let lanes = looks.withLock { Array($0.values) }.compactMap { $0() }
    figures.lanes = Dictionary(grouping: lanes, by: \.name).values.map { together($0) }
    figures.lanes.sort { $0.name < $1.name }
    return figures
  }

  private static func together(_ lanes: [ThreadFigures.Lane]) -> ThreadFigures.Lane {
    lanes.dropFirst().reduce(lanes[0]) { sum, next in
      ThreadFigures.Lane(
        name: sum.name, busy: sum.busy + next.busy, limit: sum.limit + next.limit,
        waiting: sum.waiting + next.waiting)
    }
  }
}
