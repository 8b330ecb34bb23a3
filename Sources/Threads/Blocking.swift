/// Runs what blocks (opening files, recovery, libcurl's blocking calls) on threads of its own.
///
/// Swift's own pool has as many threads as there are cores; two blocked calls would stop everything else.
public enum Blocking {
  /// More than so many at once wait for each other, and for nobody else.
  private static let lanesMax = 64
  private static let lanes = Lanes<Int>("blocking", count: lanesMax)

  public static func run<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      let task: @Sendable () -> Void = {
        continuation.resume(returning: Result { () throws(Failure) in try work() })
      }
      // A machine without a thread left: done here it is at least done.
      if !lanes.submit(task) { task() }
    }
    return try result.get()
  }
}
