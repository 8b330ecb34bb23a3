import Glibc
import Longwave
import LongwaveAdmin
import Reactor
import TestSupport
import Testing

/// What people see on a terminal, which `script` makes.
@Suite(.enabled(if: Binary.find("script") != nil, "script is in Debian's package bsdutils"))
struct TerminalScenarioTests {
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

  /// Figures that are watched, and the process that shows them: not `script`, which would take a signal itself.
  private func watching(
    _ columns: Int, then after: String = "true"
  ) async throws -> (terminal: ChildProcess, process: pid_t) {
    data.write("watching", [])
    let process = try ChildProcess([
      "script", "-q", "-c",
      "stty cols \(columns) rows 20; export TERM=xterm; "
        + "sh -c 'echo $$ > \(data.path)/watching; exec \(Binary.longwave) stats --watch "
        + "--data \(data.path)'; \(after)", "/dev/null",
    ])
    let id = try await eventually("the watching process") { () -> pid_t? in
      let text = String(decoding: data.read("watching"), as: UTF8.self)
      return text.hasSuffix("\n") ? pid_t(text.dropLast()) : nil
    }
    return (process, id)
  }

  private func lines(_ columns: Int, _ command: String) async throws -> [String] {
    let process = try terminal(columns, command)
    #expect(try await process.end() == 0)
    // CR and LF are one character.
    return process.output.split(whereSeparator: \.isNewline).map(String.init)
  }

  @Test func `tables are no wider than the terminal, and ids stay whole`() async throws {
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
    let (watching, id) = try await self.watching(40)
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
    #expect(kill(id, SIGTERM) == 0)
    #expect(try await watching.end() == 0)
    let text = watching.output
    #expect(text.contains("\u{1B}[?1049h"))
    // It ended by itself, and not with its terminal.
    let left = try #require(text.ranges(of: "\u{1B}[?1049l").last, "\(text)")
    #expect(!text[left.upperBound...].contains("Longwave "))
    // Nothing is cleared and drawn anew at every turn.
    #expect(text.ranges(of: "\u{1B}[2J").count <= 2)
    withExtendedLifetime(second) {}
  }

  @Test func `a signal puts the terminal back`() async throws {
    let server = try await server()
    for signal in [SIGINT, SIGTERM] {
      let (watching, id) = try await self.watching(80, then: "stty -a")
      try await eventually("figures", within: 60) { watching.output.contains("jazz") }
      #expect(kill(id, signal) == 0)
      #expect(try await watching.end() == 0)
      let text = watching.output
      let left = try #require(text.ranges(of: "\u{1B}[?1049l").last, "\(text)")
      let after = text[left.upperBound...]
      #expect(after.contains(" icanon") && after.contains(" echo "), "\(after)")
      #expect(!after.contains("LISTENERS"))
    }
    withExtendedLifetime(server) {}
  }
}
