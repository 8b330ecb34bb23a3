import Reactor

/// Gives any thread access to the load generator, which runs on its loop's thread.
actor LoadActor {
  private let loop: EventLoop
  private var generator: LoadGenerator?

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(loop: EventLoop) { self.loop = loop }

  func start(_ plan: LoadGenerator.Plan, settled: @escaping @Sendable () -> Void) {
    generator = LoadGenerator(loop: loop, plan: plan, settled: settled)
  }

  func beginWindow() { generator?.beginWindow() }

  func endWindow() -> LoadFigures { generator?.endWindow() ?? LoadFigures() }
}
