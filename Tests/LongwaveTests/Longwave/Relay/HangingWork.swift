import TestSupport

/// Whether work is done though a disk hangs. False: it waits for the disk, which is let go of by `thaw`.
func isDoneWhileHanging(
  thaw: () -> Void, _ work: @escaping @Sendable () async throws -> Void
) async -> Bool {
  let done = Flag()
  let task = Task {
    try await work()
    done.set()
  }
  try? await eventually("it is done") { done.isSet }
  let isDone = done.isSet
  if !isDone { thaw() }
  _ = try? await task.value
  return isDone
}
