import Glibc
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Store

@Suite struct StoreWaitingTests {
  /// As on a disk that hangs: more calls than the machine has processors.
  @Test func `calls of the store that wait keep no task of Swift's waiting`() async throws {
    let folder = TemporaryDirectory()
    let store = try await StationStore.open(folder.path + "/longwave.db")
    let (isOpen, done) = (Flag(), Flag())
    let calls = Task {
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<16 {
          group.addTask {
            let wait: @Sendable () -> Void = { while !isOpen.isSet { usleep(1000) } }
            if number % 2 == 0 {
              try? await store.write("wait") { _ in wait() }
            } else {
              try? await store.read("wait") { _ in wait() }
            }
          }
        }
      }
      done.set()
    }
    try await Task.sleep(for: .milliseconds(200))
    for number in 0..<100 { #expect(await Task.detached { number }.value == number) }
    #expect(await Blocking.run { true })
    #expect(!done.isSet)
    isOpen.set()
    await calls.value
    await store.close()
  }
}
