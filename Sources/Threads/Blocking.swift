/// Runs blocking calls (opening files, recovery, libcurl) on threads of its own.
///
/// Swift's own pool has one thread per core; two blocked calls would stop everything else.
public enum Blocking {
  /// The most calls at a time; further calls wait for one of them to end.
  private static let lanesMax = 64
  private static let lanes = Lanes<Int>("blocking", count: lanesMax)

  public static func run<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      let task: @Sendable () -> Void = {
        continuation.resume(returning: Result { () throws(Failure) in try work() })
      }
      // When the machine gives no thread, the calling thread does the work.
      if !lanes.submit(task) { task() }
    }
    return try result.get()
  }
}
