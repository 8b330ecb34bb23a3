import Glibc
import Synchronization

/// Set once by one thread, seen by others.
public final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  public init() {}
  public var isSet: Bool { value.load(ordering: .acquiring) }
  public func set() { value.store(true, ordering: .releasing) }
}

/// Runs `body` in `count` threads of their own while `meanwhile` runs in this one; returns the sum of what they
/// returned. Not tasks: loops that do not wait would fill the pool.
public func sumInThreads(
  _ count: Int, _ body: @escaping @Sendable (Int) -> Int, meanwhile: () -> Void
) -> Int {
  let jobs = (0..<count).map { Job($0, body) }
  let threads = jobs.map { job in
    var thread = pthread_t()
    let made = pthread_create(&thread, nil, runJob, Unmanaged.passRetained(job).toOpaque())
    precondition(made == 0, "a test can make a thread")
    return thread
  }
  meanwhile()
  for thread in threads { pthread_join(thread, nil) }
  return jobs.reduce(0) { $0 + $1.result.load(ordering: .acquiring) }
}

private final class Job: Sendable {
  let number: Int
  let body: @Sendable (Int) -> Int
  let result = Atomic<Int>(0)

  init(_ number: Int, _ body: @escaping @Sendable (Int) -> Int) {
    self.number = number
    self.body = body
  }
}

private func runJob(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  let job = Unmanaged<Job>.fromOpaque(context!).takeRetainedValue()
  job.result.store(job.body(job.number), ordering: .releasing)
  return nil
}
