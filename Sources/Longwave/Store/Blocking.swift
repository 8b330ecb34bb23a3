import Foundation

/// Runs what blocks (opening files, recovery, libcurl's blocking calls) on threads of its own.
///
/// Swift's own pool has as many threads as there are cores; two blocked calls would stop everything else.
enum Blocking {
  private static let queue = DispatchQueue(label: "longwave.blocking", attributes: .concurrent)

  static func run<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Result { () throws(Failure) in try work() }) }
    }
    return try result.get()
  }
}
