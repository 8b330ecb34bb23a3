import Longwave
import Synchronization
import Timeshift
import Wire

/// A value and its number among the values made one after the other.
struct Versioned<Value: Sendable>: Sendable {
  var value: Value
  /// The value's number; nil for a value that was made for a single request.
  var version: UInt64?

  /// Returns the key under which other requests find what is made of this value; nil for a value of a single request.
  func key(_ name: String) -> String? { version.map { "\(name) \($0)" } }
}

/// A value that is costly to make. It is made on request, kept for a while, and made once for all requests of that
/// time.
final class Kept<Value: Sendable>: Sendable {
  private struct State {
    var value: Versioned<Value>?
    /// When the value was made, in monotonic nanoseconds.
    var madeAt: Int64 = 0
    var making: Task<Versioned<Value>, Never>?
    var lastVersion: UInt64 = 0
    /// Counts the calls of `forget`; a value begun before the last call is not kept.
    var generation = 0
  }

  private let state = Mutex(State())
  private let nanoseconds: Int64

  init(seconds: Double = 1) { nanoseconds = Int64(nanosecondsIn: seconds) }

  func value(_ make: @escaping @Sendable () async -> Value) async -> Value {
    await versioned(make).value
  }

  func versioned(_ make: @escaping @Sendable () async -> Value) async -> Versioned<Value> {
    let now = MonotonicTime.now().nanoseconds
    typealias Found = (value: Versioned<Value>?, making: Task<Versioned<Value>, Never>?)
    let found: Found = state.withLock { state in
      if let value = state.value, now - state.madeAt < nanoseconds { return (value, nil) }
      if let making = state.making { return (nil, making) }
      let generation = state.generation
      state.lastVersion += 1
      let version = state.lastVersion
      let making = Task.detached { [self] in
        let value = Versioned(value: await make(), version: version)
        keep(value, generation)
        return value
      }
      state.making = making
      return (nil, making)
    }
    if let value = found.value { return value }
    if let making = found.making { return await making.value }
    return Versioned(value: await make(), version: nil)
  }

  /// Keeps a value, unless `forget` was called since its making began. A change during the making is in the value or
  /// not.
  private func keep(_ value: Versioned<Value>, _ generation: Int) {
    let now = MonotonicTime.now().nanoseconds
    state.withLock { state in
      guard state.generation == generation else { return }
      (state.value, state.madeAt, state.making) = (value, now, nil)
    }
  }

  /// Makes later requests get a new value.
  func forget() {
    state.withLock { state in
      (state.value, state.making) = (nil, nil)
      state.generation += 1
    }
  }
}

/// Values by key as in `Kept`, for at most `keysMax` keys.
final class KeptByKey<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let all = Mutex<[Key: Kept<Value>]>([:])
  private let seconds: Double
  private let keysMax: Int

  init(seconds: Double = 1, keysMax: Int) {
    self.seconds = seconds
    self.keysMax = keysMax
  }

  func value(_ key: Key, _ make: @escaping @Sendable () async -> Value) async -> Value {
    await versioned(key, make).value
  }

  func versioned(
    _ key: Key, _ make: @escaping @Sendable () async -> Value
  ) async -> Versioned<Value> {
    let kept = all.withLock { all in
      if let kept = all[key] { return kept }
      if all.count >= keysMax { all.removeAll() }
      let kept = Kept<Value>(seconds: seconds)
      all[key] = kept
      return kept
    }
    return await kept.versioned(make)
  }

  func forget() { all.withLock { $0.removeAll() } }
}
