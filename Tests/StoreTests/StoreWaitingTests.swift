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

  @Test func `a disk is not silent while somebody reads memory for long`() async throws {
    let folder = TemporaryDirectory()
    var options = StationStore.Options()
    options.silence = 2
    let store = try await StationStore.open(folder.path + "/longwave.db", options)
    let (isRead, isOpen) = (Flag(), Flag())
    let reading = Task {
      try await store.read("wait") { _ in
        isRead.set()
        while !isOpen.isSet { usleep(1000) }
      }
    }
    try await eventually("memory is read") { isRead.isSet }
    let change = Task { try await store.write("change", needsDisk: true) { _ in true } }
    // Longer than what the disk has.
    try await Task.sleep(for: .seconds(5))
    isOpen.set()
    #expect(try await change.value)
    #expect(store.whyInMemory == nil)
    try await reading.value
    await store.close()
  }
}
