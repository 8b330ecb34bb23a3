import Foundation
import Longwave
import Store
import Threads

/// The findings of `longwave doctor` about this machine.
public struct DoctorReport: Sendable {
  public var findings: [Finding]

  public var hasFailures: Bool { findings.contains { $0.level == .fail } }

  public var json: JSON { ["findings": .array(findings.map(\.json))] }

  /// Checks the machine. A bad configuration is a finding too; the rest is then judged by the default values.
  ///
  /// - Parameters:
  ///   - file: The configuration; nil for the one that `serve` would use.
  ///   - data: The data folder that the user named; nil for the default.
  ///   - asksNames: Whether to look up the stations' upstreams as well.
  public static func make(
    file: String?, data: String?, asksNames: Bool
  ) async -> DoctorReport {
    await make(file: file, data: data, asksNames: asksNames, answers: SilentFolders.question)
  }

  static func make(
    file: String?, data: String?, asksNames: Bool, answers: @escaping SilentFolders.Question
  ) async -> DoctorReport {
    let (configuration, findings) = await Blocking.run { load(file) }
    let folder = DataDirectory.resolve(option: data, configured: configuration.server.data)
    let silent = await SilentFolders.find(configuration, data: folder, answers: answers)
    return await Blocking.run {
      let facts = MachineProbe.facts(
        configuration, data: folder, silent: silent, asksNames: asksNames)
      let named = findings.isEmpty ? [named(configuration.file, facts)] : findings
      return DoctorReport(findings: named + Diagnosis.findings(of: facts))
    }
  }

  /// Says which configuration the findings are about.
  static func named(_ file: String?, _ facts: MachineFacts) -> Finding {
    if facts.isConfigured {
      return Finding(.ok, "configuration", file ?? "none: the built-in values")
    }
    return Finding(
      .ok, "configuration",
      "none is named: ports, windows and recordings of the running relay were not checked",
      advice: "name its file, if it has one: longwave doctor --config FILE")
  }

  /// Returns the configuration, and what is wrong with it.
  private static func load(_ file: String?) -> (Configuration, [Finding]) {
    do throws(ConfigurationError) {
      let configuration = try Configuration.loadNamed(file)
      return (configuration, [])
    } catch {
      let findings = error.problems.map {
        Finding(.fail, "configuration", "\($0)", advice: "longwave config check shows all mistakes")
      }
      return (Configuration(), findings)
    }
  }
}

extension DoctorReport {
  /// Returns a line for each finding, with the advice below it.
  ///
  /// - Parameters:
  ///   - isColored: Whether to use ANSI colours (ECMA-48) for a terminal.
  ///   - width: The terminal's width; nil for lines of any length.
  public func text(isColored: Bool, width: Int? = nil) -> String {
    findings.map { finding in
      let word = finding.level.rawValue
      let colored = isColored ? "\u{1B}[\(finding.level.color)m\(word)\u{1B}[0m" : word
      let head = colored + Self.blanks(6 - word.count) + finding.subject
      let texts = [finding.text] + (finding.advice.map { [$0] } ?? [])
      let lines = texts.flatMap {
        TextLines.wrapped(TerminalText.safe($0), to: width.map { max(20, $0 - Self.margin) })
      }
      return head + Self.blanks(Self.margin - 6 - finding.subject.count)
        + lines.joined(separator: "\n" + Self.blanks(Self.margin)) + "\n"
    }.joined()
  }

  /// Columns in front of what is found.
  private static let margin = 21

  private static func blanks(_ count: Int) -> String {
    String(repeating: " ", count: max(1, count))
  }
}

extension Finding.Level {
  fileprivate var color: Int {
    switch self {
    case .ok: 32
    case .warn: 33
    case .fail: 31
    }
  }
}
