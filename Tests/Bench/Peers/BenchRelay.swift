import Foundation
import TestSupport

/// A relay of a row's own, on core 0, with a data folder of its own.
final class BenchRelay {
  let child: PipedProcess
  let port: UInt16
  let data: String
  private let program: String
  private let (configuration, log): (String, String)
  private let stations: [String]

  /// Starts a relay and waits until it answers.
  ///
  /// - Parameters:
  ///   - settings: further lines of its configuration.
  ///   - stations: lines of the configuration's list; none: stations are added by command.
  /// - Throws: what is wrong with the configuration, if it refuses that.
  init(_ program: String, in folder: String, settings: [String] = [], stations: [String]) throws {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw BenchError("not built: swift build -c release --product longwave (or --longwave PATH)")
    }
    let own = "\(folder)/\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
    (self.program, self.stations) = (program, stations)
    (port, data) = (freePort(), own + "/data")
    (configuration, log) = (own + "/longwave.yml", own + "/log")
    try Self.configure(configuration, port: port, data: data, settings, stations)
    child = try PipedProcess(
      Executables.pin(to: 0) + Executables.dieWithParent() + [
        program, "serve", "--config", configuration,
      ], log: log)
    try Wait.until("the relay answers", within: 30) {
      guard child.isRunning else { throw BenchError(refusal) }
      return FirstByte.canConnect(to: port)
    }
  }

  var cpu: Double { ProcessClock.secondsOfAll(child.id) }
  var pssKiB: Double { Double(ProcessFigures.pssKiB(of: child.id) ?? 0) }

  func stop() { child.stop() }

  /// Gives the relay a configuration with other further lines.
  func reload(_ settings: [String]) throws {
    try Self.configure(configuration, port: port, data: data, settings, stations)
    kill(child.id, SIGHUP)
  }

  private static func configure(
    _ path: String, port: UInt16, data: String, _ settings: [String], _ stations: [String]
  ) throws {
    let lines =
      ["server: {listen: [\"127.0.0.1:\(port)\"], data: \"\(data)\"}"] + settings
      + (stations.isEmpty ? [] : ["stations:"]) + stations.map { "  - " + $0 }
    try (lines.joined(separator: "\n") + "\n").write(
      toFile: path, atomically: false, encoding: .utf8)
  }

  /// Runs a command of the relay's program, and returns what it prints.
  @discardableResult
  func command(_ words: [String]) throws -> String {
    let scratch = TemporaryDirectory()
    let result = try Tool.run([program] + words + ["--data", data], in: scratch)
    guard result.status == 0 else {
      throw BenchError(Self.said(result.log) ?? "\(words[0]) ended with \(result.status)")
    }
    return String(decoding: result.output, as: UTF8.self)
  }

  /// What it tells over HTTP.
  var figures: RelayFigures { RelayFigures(port: port) }

  /// Waits until that many stations play.
  func waitUntilPlaying(_ stations: Int, within seconds: Double = 60) throws {
    try Wait.until("\(stations) stations play", within: seconds, every: 0.1) {
      guard child.isRunning else { throw BenchError("the relay has ended") }
      return try figures.playing() >= stations
    }
  }

  private var refusal: String { Proc.text(log).flatMap(Self.said) ?? "the relay has ended at once" }

  /// Returns what the program complained about, in one line.
  private static func said(_ text: String) -> String? {
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("longwave: ") }.map { line in
      // Not the file's name, which is another in each run.
      line.dropFirst(10).split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
    }
    guard let first = lines.first else { return nil }
    return lines.count > 1 ? "\(first) (and \(lines.count - 1) more)" : first
  }
}

/// Waits for what a measurement needs.
enum Wait {
  static func until(
    _ what: String, within seconds: Double, every pause: Double = 0.02, _ isSo: () throws -> Bool
  ) throws {
    let deadline = monotonicNow() + Int64(seconds * 1e9)
    while try !isSo() {
      guard monotonicNow() < deadline else {
        throw BenchError("not within \(Int(seconds)) s: \(what)")
      }
      usleep(UInt32(pause * 1e6))
    }
  }
}
