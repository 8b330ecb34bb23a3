import Testing

@testable import Threads

@Suite struct ThreadFiguresTests {
  private func count(_ kind: String) -> Int {
    ThreadFigures.now().kinds.first { $0.name == kind }?.count ?? 0
  }

  private func lane(_ name: String) -> ThreadFigures.Lane? {
    ThreadFigures.now().lanes.first { $0.name == name }
  }

  @Test func `threads are counted by kind from their start to their end`() throws {
    let gate = Gate()
    let threads = try (0..<2).map { number in
      try #require(SystemThread("counted.\(number)") { gate.wait() })
    }
    #expect(count("counted") == 2)
    gate.open()
    for thread in threads { thread.join() }
    #expect(!ThreadFigures.now().kinds.contains { $0.name == "counted" })
  }

  @Test func `lanes of one name tell together how many work and how many wait`() async {
    let (lanes, other) = (Lanes<Int>("told", count: 2), Lanes<Int>("told", count: 3))
    let gate = Gate()
    for _ in 0..<5 { #expect(lanes.submit { gate.wait() }) }
    #expect(lane("told") == ThreadFigures.Lane(name: "told", busy: 2, limit: 5, waiting: 3))
    #expect(count("told") == 2)
    gate.open()
    await lanes.idle()
    #expect(lane("told") == ThreadFigures.Lane(name: "told", busy: 0, limit: 5, waiting: 0))
    withExtendedLifetime(other) {}
  }

  @Test(.timeLimit(.minutes(1))) func `lanes that have gone are not told of`() async {
    do {
      let lanes = Lanes<Int>("gone", count: 1)
      #expect(await lanes.run { 1 } == 1)
      #expect(lane("gone") != nil)
    }
    // Their thread may hold them for a moment more.
    while lane("gone") != nil { await Task.yield() }
  }

  @Test(arguments: [
    ("loop.0", "loop"), ("reader.12", "reader"), ("ingest", "ingest"),
    ("storage.sync", "storage.sync"), ("files.index2", "files.index2"), (".7", ".7"), ("a.", "a."),
  ])
  func `a thread's kind is its name without a number behind a dot`(name: String, kind: String) {
    #expect(ThreadRegistry.kind(name) == kind)
  }
}
