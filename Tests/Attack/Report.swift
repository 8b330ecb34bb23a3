import Foundation
import TestSupport

/// What is wrong with the relay, and what does it.
struct Fault {
  var what: String
  /// nil: nothing by itself.
  var attack: Attack?
  /// What was under way.
  var among: [Attack] = []
}

/// Tells what is found as it is found, and how it all went at the end.
final class Report {
  static let faultsMax = 40
  /// A line that a terminal can take; longer ones go into a file.
  private static let lineMax = 3000

  private(set) var faults: [Fault] = []
  private(set) var sent = 0
  private let began = secondsNow()
  private var counts = Round.Counts()
  private var seconds = 0.0
  private var late: [String: Int] = [:]
  private var lastFigures: [String] = []

  /// At once, whatever standard output is.
  private func tell(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  func say(_ text: String) {
    tell("\(String(format: "%6.1f", secondsNow() - began)) s  \(text)")
  }

  func add(_ fault: Fault) {
    faults.append(fault)
    say("FAULT \(faults.count): \(fault.what)")
    if let attack = fault.attack {
      tell(
        "          \(attack.place)\n          deploy/attack --replay '\(replay(attack, faults.count))'"
      )
    }
    for attack in fault.among {
      tell("          among: \(replay(attack, faults.count).prefix(300))")
    }
  }

  /// A line for the shell, where it fits into one.
  private func replay(_ attack: Attack, _ number: Int) -> String {
    let line = attack.line.replacing("'", with: "\\x27")
    precondition(Attack(line: line)?.bytes == attack.bytes, "a line says what was sent: \(line)")
    guard line.utf8.count > Self.lineMax else { return line }
    let path = "/tmp/longwave-attack-\(getpid())-\(number).txt"
    try? line.write(toFile: path, atomically: true, encoding: .utf8)
    return "@\(path)"
  }

  func take(_ more: Round.Counts, seconds: Double) {
    sent += more.sent
    self.seconds += seconds
    counts.sent += more.sent
    counts.unanswered += more.unanswered
    counts.probes += more.probes
    counts.heard += more.heard
    counts.slowest = max(counts.slowest, more.slowest)
    counts.statuses.merge(more.statuses, uniquingKeysWith: +)
  }

  func noteLate(_ text: String) { late[text, default: 0] += 1 }

  func sayLife(_ text: String) { lastFigures.append(text) }

  func finish(seed: UInt64) {
    let rate = seconds > 0 ? Int(Double(counts.sent) / seconds) : 0
    say("\(counts.sent) attacks in \(seconds.short) s, \(rate)/s; seed \(seed)")
    let statuses = counts.statuses.sorted { $0.value > $1.value }.map { "\($0.key): \($0.value)" }
    tell("          answers \(statuses.joined(separator: ", ")); without one \(counts.unanswered)")
    tell(
      "          a listener of another station heard \(counts.heard) packets in a row; "
        + "\(counts.probes) probes, the slowest \(counts.slowest.short) s")
    for line in RequestCosts.shared.lines { tell("          \(line)") }
    for figures in lastFigures { tell("          a life: \(figures)") }
    for (text, count) in late.sorted(by: { $0.key < $1.key }).prefix(20) {
      tell("          late once, and not by itself: \(text)\(count > 1 ? " × \(count)" : "")")
    }
    tell("          \(faults.isEmpty ? "no fault" : "\(faults.count) faults")")
  }
}
