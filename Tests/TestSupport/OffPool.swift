/// Does what takes a thread long, on one of its own: the relay under test runs on the few of Swift's pool.
public func offPool<Value: Sendable>(
  _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { (done: CheckedContinuation<Value, any Error>) in
    FakeSocket.thread { done.resume(with: Result { try work() }) }
  }
}
