import Synchronization
import TestSupport
import Testing

@testable import Longwave
@testable import Settings

/// Counts looks, and the most at once.
private final class LookCounter: Sendable {
  private let counts = Mutex((all: 0, now: 0, most: 0))

  var all: Int { counts.withLock(\.all) }
  var most: Int { counts.withLock(\.most) }
  func end() { counts.withLock { $0.now -= 1 } }

  func begin() {
    counts.withLock { counts in
      counts.all += 1
      counts.now += 1
      counts.most = max(counts.most, counts.now)
    }
  }
}

/// What a look at a configuration costs, however the file is written.
@Suite struct ReloadLookTests {
  private static let long = String(repeating: "x", count: 100_000)

  private func changes(_ old: String, _ new: String) -> ConfigurationChanges {
    var changes = ConfigurationChanges()
    changes.compare(old, new)
    return changes
  }

  @Test func `a line is short, however long ids, keys and texts are`() {
    let stations = String(repeating: "  - *s\n", count: 300)
    let keys = (0..<10).map { "k\($0): x" }.joined(separator: ", ")
    for section in [
      "stations:\n  - &s {id: \(Self.long), \(keys)}\n" + stations,
      "stations:\n  - &s {id: a, \(Self.long.prefix(900)): x, description: \(Self.long)}\n"
        + stations,
      "server:\n  deny-agents: [&a \(Self.long)" + String(repeating: ", *a", count: 600) + "]",
      "server:\n  paths: [" + String(repeating: "\"/a\\u0001\", ", count: 50_000) + "]",
    ] {
      let changes = changes("", section)
      #expect(!changes.lines.isEmpty, "\(section.prefix(40))")
      #expect(changes.lines.allSatisfy { $0.text.utf8.count <= 4100 })
    }
  }

  @Test func `texts that aliases repeat are counted`() {
    func problem(times: Int) -> String? {
      YAMLMeasure.problem(
        in: "a:\n  - &a [\(Self.long)]\n" + String(repeating: "  - *a\n", count: times))?.message
    }
    #expect(problem(times: 600) == nil)
    #expect(
      problem(times: 700) == "has aliases that stand for more than 64 MiB of texts; write less")
    // Without aliases a file is as long as it is.
    let yaml = "a: [\(Array(repeating: Self.long, count: 700).joined(separator: ", "))]"
    #expect(YAMLMeasure.problem(in: yaml) == nil)
  }

  @Test func `nesting by aliases is nesting`() {
    func problem(lists: Int) -> String? {
      let lists = (1...lists).map { "a\($0): &a\($0) [[*a\($0 - 1)]]\n" }.joined()
      return YAMLMeasure.problem(in: "a0: &a0 [1]\n\(lists)")?.message
    }
    #expect(problem(lists: 30) == nil)
    #expect(problem(lists: 40) == "is nested more than 64 deep")
  }

  @Test func `problems are short, and not without end`() throws {
    let stations = (1..<600).map { "  - {id: s\($0), upstream: 'http://a/', window: *a}\n" }
      .joined()
    let yaml = "timeshift:\n  window: &a \(Self.long)\nstations:\n\(stations)"
    let error = #expect(throws: ConfigurationError.self) {
      try Configuration.parse(yaml: yaml, file: "c.yml")
    }
    let problems = try #require(error?.problems)
    let bytes = error?.description.utf8.count ?? .max
    #expect(problems.count == 201 && bytes < 50_000)
    #expect(
      problems.first?.description
        == "c.yml:2: timeshift.window: has 100000 bytes; write a duration, such as 90s, 5m or 1h30m"
    )
    #expect(problems.last?.description == "c.yml: has more problems than these, 400 of them")
    var changes = ConfigurationChanges()
    changes.problems = problems
    guard case .array(let told)? = changes.json["problems"] else {
      Issue.record("no problems are told")
      return
    }
    #expect(told.count == 200 && changes.json["truncated"] == .bool(true))
  }

  @Test(arguments: [
    ("timeshift: {window: 4hh}", "c.yml:1: timeshift.window: \"4hh\" is not a duration; write"),
    ("timeshift: {widnow: 4h}", "c.yml:1: timeshift.widnow: unknown key; did you mean window?"),
    (
      "timeshift: {window: \(String(repeating: "y", count: 200))}",
      "c.yml:1: timeshift.window: \"\(String(repeating: "y", count: 100))…\" is not a duration"
    ),
    (
      "timeshift: {window: \"4\\nh\\u202E\"}",
      "c.yml:1: timeshift.window: \"4\\x0ah\\xe2\\x80\\xae\" is"
    ),
    (
      "timeshift: {\"\\e\\u202Ewindow\": 4h}",
      "c.yml:1: timeshift.\\x1b\\xe2\\x80\\xaewindow: unknown key; did you mean window?"
    ),
    ("server: {listen: 'kiosk@home:80000'}", "c.yml:1: server.listen: ••• has the port 80000"),
    ("log: {format: jsn}", "c.yml:1: log.format: \"jsn\" is unknown; did you mean json?"),
    ("timeshift: {flavour: red}", "c.yml:1: timeshift.flavour: unknown key; known here: window,"),
    ("timeshift: {secretword: red}", "c.yml:1: timeshift.?: unknown key; known here: window,"),
    ("Hunter: 1\nHunter: 2", "c.yml:1: ?: is written more than once (here first); keep one"),
  ])
  func `what is wrong is told in one line, with the value where it is no secret`(
    yaml: String, beginning: String
  ) {
    let error = #expect(throws: ConfigurationError.self) {
      try Configuration.parse(yaml: yaml, file: "c.yml")
    }
    let problem = error?.problems.first
    #expect(problem?.description.hasPrefix(beginning) == true, "\(problem?.description ?? "")")
    for text in [problem?.key, problem?.message] {
      #expect(text?.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 0x202E } == true)
    }
  }

  @Test func `a text that is too long to be compared is not told to be the same`() {
    var running = Configuration()
    let look = Reload.Look({ () throws(ConfigurationError) in running }, file: nil)
    #expect(look.changes(from: running).json["truncated"] == .bool(true))
    running.text = ""
    let other = Reload.Look(
      { [running] () throws(ConfigurationError) in running }, file: nil)
    #expect(other.changes(from: running).json["truncated"] == .bool(false))
  }

  @Test func `a file that cannot be read is not told to be cut`() {
    var running = Configuration()
    running.text = ""
    let error = ConfigurationError(problems: [])
    let look = Reload.Look(
      { () throws(ConfigurationError) in throw error }, file: "/nowhere/longwave.yml")
    #expect(look.changes(from: running).json["truncated"] == .bool(false))
  }

  @Test func `looks run one after the other, and all who ask during one share the next`() async {
    let looks = ReloadLooks()
    let counter = LookCounter()
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let first = Task {
      await looks.outcome {
        counter.begin()
        for await _ in gate { break }
        counter.end()
        return .success(ConfigurationChanges())
      }
    }
    while counter.all == 0 { await Task.yield() }
    let asked = LookCounter()
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<12 {
        group.addTask {
          asked.begin()
          let outcome = await looks.outcome {
            counter.begin()
            await Task.yield()
            counter.end()
            return .failure(.noConfiguration)
          }
          return (try? outcome.get()) == nil
        }
      }
      while asked.all < 12 { await Task.yield() }
      // A caller that comes after the gate has a look of its own, so not all twelve need to share one.
      for _ in 0..<1000 { await Task.yield() }
      open.yield()
      for await isNext in group { #expect(isNext) }
    }
    #expect((try? await first.value.get()) != nil)
    #expect(counter.all < 13 && counter.most == 1)
  }
}
