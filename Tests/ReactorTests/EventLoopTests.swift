import Glibc
import Reactor
import Synchronization
import Testing

/// An actor on a loop with a pipe and timers, as the server's parts are.
private actor Probe {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private var id: HandlerID?
  private var fired: [UInt32] = []
  private var received: [UInt8] = []
  private var waiting: CheckedContinuation<Void, Never>?
  private var wanted = 0

  init(loop: EventLoop) { self.loop = loop }

  func attach() {
    id = loop.attach(Handler(self))
  }

  func detach() {
    if let id { loop.detach(id) }
    id = nil
  }

  func watch(_ fd: Int32) throws {
    try loop.add(fd, .read, handler: id!, token: UInt64(fd))
  }

  /// All within one turn of the loop, so that none is due before the last is set.
  func setTimers() {
    setTimer(1, milliseconds: 40)
    setTimer(2, milliseconds: 10)
    setTimer(3, milliseconds: 20)
    cancelTimer(3)
    setTimer(4, milliseconds: 1)
    setTimer(4, milliseconds: 60)
  }

  private func setTimer(_ token: UInt32, milliseconds: Int64) {
    loop.setTimer(id!, token: token, after: milliseconds * 1_000_000)
  }

  private func cancelTimer(_ token: UInt32) {
    loop.cancelTimer(id!, token: token)
  }

  func readable(_ fd: Int32) {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(fd, &bytes, 64)
    if count > 0 { received += bytes[..<count] }
    settle()
  }

  func timer(_ token: UInt32) {
    fired.append(token)
    settle()
  }

  func things(_ count: Int) async -> (fired: [UInt32], received: [UInt8]) {
    wanted = count
    if fired.count + received.count < count {
      await withCheckedContinuation { waiting = $0 }
    }
    return (fired, received)
  }

  func threadIsTheLoops() -> Bool { loop.isCurrent }

  private func settle() {
    guard fired.count + received.count >= wanted, let waiting else { return }
    self.waiting = nil
    waiting.resume()
  }

  private final class Handler: LoopHandler {
    unowned let probe: Probe
    init(_ probe: Probe) { self.probe = probe }
    func ready(_ token: UInt64, _ readiness: Readiness) {
      probe.assumeIsolated { $0.readable(Int32(token)) }
    }
    func timerFired(_ token: UInt32) {
      probe.assumeIsolated { $0.timer(token) }
    }
  }
}

struct EventLoopTests {
  private func withProbe(_ body: (Probe) async throws -> Void) async throws {
    let loop = try EventLoop(name: "test")
    loop.start()
    let probe = Probe(loop: loop)
    await probe.attach()
    try await body(probe)
    await probe.detach()
    loop.stop()
  }

  @Test func `an actor pinned to a loop runs on the loop's thread`() async throws {
    try await withProbe { probe in
      #expect(await probe.threadIsTheLoops())
      #expect(!probe.loop.isCurrent)
    }
  }

  @Test func `timers fire in the order of their deadlines, and cancelled ones do not`() async throws
  {
    try await withProbe { probe in
      await probe.setTimers()
      #expect(await probe.things(3).fired == [2, 1, 4])
    }
  }

  @Test func `handlers that go make room for others, without end`() async throws {
    let loop = try EventLoop(name: "test")
    let probe = Passing(loop)
    loop.start()
    var ids: Set<HandlerID> = []
    // More than have room beside a token.
    for _ in 0..<700 { ids.formUnion(await probe.attachAndDetach(100)) }
    #expect(ids.count < 20_000)
    loop.stop()
  }

  @Test func `a descriptor that has data is reported with its token`() async throws {
    try await withProbe { probe in
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      try await probe.watch(ends[0])
      _ = write(ends[1], "abc", 3)
      #expect(await probe.things(3).received == Array("abc".utf8))
      close(ends[0])
      close(ends[1])
    }
  }

  @Test func `jobs from many threads all run, each once`() async throws {
    try await withProbe { probe in
      let count = 2000
      let ran = Counter()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<count { group.addTask { if await probe.threadIsTheLoops() { ran.add() } } }
      }
      #expect(ran.value == count)
    }
  }
}

private final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}

/// Handlers that come and go.
private actor Passing {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: EventLoop) { self.loop = loop }

  func attachAndDetach(_ count: Int) -> Set<HandlerID> {
    let ids = (0..<count).map { _ in loop.attach(Idle()) }
    for id in ids { loop.detach(id) }
    return Set(ids)
  }

  private final class Idle: LoopHandler {
    func ready(_ token: UInt64, _ readiness: Readiness) {}
    func timerFired(_ token: UInt32) {}
  }
}
