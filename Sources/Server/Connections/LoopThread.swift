import Reactor

/// The way back to a loop's thread, for results of work that was done elsewhere.
actor LoopThread {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: EventLoop) { self.loop = loop }

  func run(_ body: @Sendable () -> Void) { body() }
}
