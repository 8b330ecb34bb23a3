import Timeshift

/// What a scenario waited for in vain.
public struct TimeIsUp: Error, CustomStringConvertible {
  public var description: String

  public init(description: String) { self.description = description }
}

/// Asks every 20 ms until it is so. Never blocks a thread: the relay under test runs on the same pool.
///
/// - Throws: after `seconds`, far more than it should take, with what was waited for. A look and the pause behind it
///   count for half a second at most, however long they stand still on a busy machine.
public func eventually(
  _ what: @autoclosure () -> String, within seconds: Double = 60,
  _ condition: () async throws -> Bool
) async throws {
  var waited = 0.0
  var before = secondsNow()
  while try await !condition() {
    guard waited < seconds else {
      throw TimeIsUp(description: "\(seconds) s are up while waiting for \(what())")
    }
    try await Task.sleep(for: .milliseconds(20))
    let now = secondsNow()
    waited += min(now - before, 0.5)
    before = now
  }
}

/// The same for a value that is nil until it is there.
public func eventually<Value>(
  _ what: @autoclosure () -> String, within seconds: Double = 60,
  _ value: () async throws -> Value?
) async throws -> Value {
  var found: Value?
  try await eventually(what(), within: seconds) {
    found = try await value()
    return found != nil
  }
  return found!
}

/// Seconds of the monotonic clock.
public func secondsNow() -> Double { Double(MonotonicTime.now().nanoseconds) / 1e9 }
