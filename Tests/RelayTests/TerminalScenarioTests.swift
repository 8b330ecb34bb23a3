import Glibc
import Longwave
import LongwaveAdmin
import Reactor
import TestSupport
import Testing

/// What people see on a terminal, which `script` makes.
@Suite(.enabled(if: Binary.find("script") != nil)) struct TerminalScenarioTests {
  private let data = TemporaryDirectory()
  private let id = "a-very-long-identifier-of-a-station"

  private func server() async throws -> LongwaveProcess {
    let yaml = """
      stations:
        - {id: jazz, upstream: "http://127.0.0.1:1/jazz"}
        - {id: \(id), upstream: "http://127.0.0.1:1/rock"}
      """
    data.write("longwave.yml", Array(yaml.utf8))
    return try await LongwaveProcess(
      ["serve", "--config", data.path + "/longwave.yml"], data: data.path)
  }

  private func terminal(_ columns: Int, _ command: String) throws -> ChildProcess {
    try ChildProcess([
      "script", "-q", "-c",
      "stty cols \(columns) rows 20; TERM=xterm exec \(Binary.longwave) \(command)", "/dev/null",
    ])
  }

  private func lines(_ columns: Int, _ command: String) async throws -> [String] {
    let process = try terminal(columns, command)
    #expect(try await process.end() == 0)
    // CR and LF are one character.
    return process.output.split(whereSeparator: \.isNewline).map(String.init)
  }

  @Test func `no line of a table is wider than the terminal, and ids stay whole`() async throws {
    let server = try await server()
    for columns in [40, 60, 80, 120] {
      for command in ["station list", "stats", "station show \(id)", "listener list", "webhooks"] {
        let shown = try await lines(columns, command + " --data \(data.path)")
        // Colours take no columns.
        let bare = shown.map { $0.replacing(/\u{1B}\[\d+m/, with: "") }
        #expect(bare.allSatisfy { TerminalText.width($0) <= columns }, "\(columns) \(bare)")
      }
      let listed = try await lines(columns, "station list --data \(data.path)")
      #expect(listed.contains { $0.contains(id) } && listed.contains { $0.contains("\u{1B}[3") })
      #expect(listed.contains { $0.contains("STATE") })
    }
    withExtendedLifetime(server) {}
  }

  @Test func `help is filled once at any width, and its examples stay on one line`() async throws {
    for columns in [40, 80, 120] {
      for command in ["--help", "station add --help", "events --help", "help record start"] {
        let shown = try await lines(columns, command)
        let examples = shown.filter { $0.hasPrefix("  longwave ") }
        #expect(examples.count > 2 || command.contains("record"), "\(shown)")
        let others = shown.filter { !$0.hasPrefix("  longwave ") }
        #expect(others.allSatisfy { $0.count <= columns }, "\(columns) \(others)")
      }
      let text = try await lines(columns, "station add --help").joined(separator: "\n")
      #expect(text.contains("--on-demand --title-pattern '{artist} - {title}'\n"))
    }
  }

  @Test func `figures are watched over a restart of the server, until a signal`() async throws {
    let first = try await server()
    let watching = try terminal(40, "stats --watch --data \(data.path)")
    try await eventually("figures", within: 60) { watching.output.contains("jazz") }
    first.process.signal(SIGTERM)
    #expect(try await first.process.end() == 0)
    try await eventually("that the server is away", within: 60) {
      watching.output.contains("not there since")
    }
    let before = watching.output.count
    let second = try await server()
    try await eventually("figures of the new server", within: 60) {
      watching.output.dropFirst(before).contains("Longwave ")
    }
    watching.signal(SIGTERM)
    _ = try await watching.end()
    let text = watching.output
    #expect(text.contains("\u{1B}[?1049h"))
    // Nothing is cleared and drawn anew at every turn.
    #expect(text.ranges(of: "\u{1B}[2J").count <= 2)
    withExtendedLifetime(second) {}
  }

  @Test func `a signal puts the terminal back`() async throws {
    let server = try await server()
    for name in ["INT", "TERM"] {
      let command =
        "stty cols 80 rows 20; TERM=xterm timeout --foreground -s \(name) 3 \(Binary.longwave) "
        + "stats --watch --data \(data.path); stty -a"
      let result = try await ChildProcess.run(
        ["script", "-q", "-c", command, "/dev/null"], within: 60)
      let left = try #require(result.output.ranges(of: "\u{1B}[?1049l").last, "\(result.output)")
      let after = result.output[left.upperBound...]
      #expect(after.contains(" icanon") && after.contains(" echo "), "\(after)")
      #expect(!after.contains("LISTENERS"))
    }
    withExtendedLifetime(server) {}
  }
}
