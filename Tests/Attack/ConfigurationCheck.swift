import Foundation
import Synchronization
import TestSupport

/// The same configurations, judged by the program itself: `config check` takes each or says which key is wrong, and what
/// it takes can be run.
struct ConfigurationCheck {
  private let program: String
  /// A program that does nothing takes a fiftieth of it.
  private static let secondsMax = 5.0
  private static let workers = 3
  /// Of those that are taken, one of so many is run: it takes its time.
  private static let runEach = 8
  /// What would be written to, or opened, wherever that is.
  private static let writing: Set = [
    "data", "folder", "access", "playlist", "listen", "shoutcast-listen",
  ]

  init(program: String) { self.program = program }

  /// First of each key what has broken most.
  func run(seed: UInt64, seconds: Double?, _ report: Report) {
    let began = secondsNow()
    let rows = Self.rows(seed: seed)
    let state = Mutex(Progress())
    let crew = Crew()
    for _ in 0..<Self.workers {
      crew.add("check") { [program] in
        let check = Self(program: program)
        while seconds.map({ secondsNow() - began < $0 }) ?? true {
          let next = state.withLock { progress -> Attack? in
            guard progress.next < rows.count else { return nil }
            defer { progress.next += 1 }
            return rows[progress.next]
          }
          guard let next else { return }
          let verdict = check.judge(next)
          state.withLock { $0.note(verdict, next) }
        }
      }
    }
    crew.wait()
    let progress = state.withLock { $0 }
    for (what, attack) in progress.faults.prefix(Report.faultsMax) {
      report.add(Fault(what: "config check: \(what)", attack: attack))
    }
    report.say(
      "\(progress.next) of \(rows.count) configurations by config check, \(progress.taken) taken, "
        + "\(progress.ran) of them run")
  }

  func again(_ attack: Attack) -> Int32 {
    guard case .wrong(let what) = judge(attack) else { return 0 }
    print("config check: \(what)")
    return 1
  }

  private struct Progress {
    var next = 0
    var taken = 0
    var ran = 0
    /// One for each place.
    var faults: [(String, Attack)] = []

    mutating func note(_ verdict: Verdict, _ attack: Attack) {
      switch verdict {
      case .refused: break
      case .taken(let ran):
        taken += 1
        self.ran += ran ? 1 : 0
      case .wrong(let what):
        if !faults.contains(where: { $0.1.place == attack.place }) { faults.append((what, attack)) }
      }
    }
  }

  private enum Verdict { case refused, taken(isRun: Bool), wrong(String) }

  private static func rows(seed: UInt64) -> [Attack] {
    var random = SplitMix(seed: seed)
    let extremes = Set(HostileValues.extremes.map { HostileJSON.quoted(Array($0.utf8)) })
    let all = ConfigurationAttack.all.shuffled(using: &random)
    let byPlace = Dictionary(grouping: all, by: \.place)
    let places = byPlace.keys.sorted().shuffled(using: &random)
    let columns = places.map { place -> [Attack] in
      let all = byPlace[place] ?? []
      func isFirst(_ attack: Attack) -> Bool {
        extremes.contains { attack.bytes.firstRange(of: $0) != nil }
      }
      return Array(all.prefix(20)).filter(isFirst) + all
    }
    let longest = columns.map(\.count).max() ?? 0
    return (0..<longest).flatMap { row in
      columns.compactMap { $0.indices.contains(row) ? $0[row] : nil }
    }
  }

  // MARK: One

  private func judge(_ attack: Attack) -> Verdict {
    let folder = TemporaryDirectory()
    folder.write("row.yml", attack.bytes)
    let path = folder.path + "/row.yml"
    let began = secondsNow()
    guard let process = start(["config", "check", path, "--data", folder.path + "/data"])
    else { return .refused }
    let end = wait(process, seconds: 4 * Self.secondsMax)
    let own = MachineDelay.shared.own(secondsNow() - began)
    guard let end else { return .wrong("hangs") }
    if own > Self.secondsMax { return .wrong("takes \(own.short) s") }
    switch end {
    case 0:
      guard isRun(attack) else { return .taken(isRun: false) }
      return run(path, folder).map { .wrong($0) } ?? .taken(isRun: true)
    case 1, 78:
      return Self.names(attack, in: process.log) ? .refused : .wrong("does not say which key")
    default: return .wrong("ends by \(end)")
    }
  }

  private static func names(_ attack: Attack, in log: String) -> Bool {
    let key = attack.place.split(separator: ".").last ?? ""
    // Whatever the key says, another one that belongs to it may be needed first; what is too deep or too much is told by
    // its line, before any key is looked at.
    let others = [
      "is not YAML", "UTF-8", "is missing", "is nested more than", "comes to more than",
    ]
    return attack.place == "config document" || log.contains(key)
      || others.contains(where: log.contains)
  }

  private func isRun(_ attack: Attack) -> Bool {
    let key = attack.place.split(separator: ".").last.map(String.init) ?? ""
    let sum = attack.bytes.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
    return !Self.writing.contains(key) && sum % Self.runEach == 0
  }

  /// What is wrong with it; nil: it runs and ends, or says why it cannot.
  private func run(_ path: String, _ folder: TemporaryDirectory) -> String? {
    let words = ["serve", "--config", path, "--data", folder.path + "/data"]
    guard let process = start(words + ["--listen", "127.0.0.1:0"]) else { return nil }
    let limit = secondsNow() + 20
    while process.status() == nil, !process.output.contains("\nlisten ") {
      if secondsNow() > limit { return "is taken, and then does not start" }
      usleep(5000)
    }
    usleep(100_000)
    if process.status() == nil { process.signal(SIGTERM) }
    switch wait(process, seconds: 20) {
    case 0?: return nil
    case let end? where [1, 78].contains(end) && process.log.contains("longwave: "): return nil
    case let end?: return "is taken, and then ends by \(end)"
    case nil: return "is taken, and then does not end"
    }
  }

  private func start(_ words: [String]) -> ChildProcess? {
    try? ChildProcess(
      [program] + words, environment: ChildProcess.plainEnvironment + ["SWIFT_BACKTRACE=enable=no"])
  }

  private func wait(_ process: ChildProcess, seconds: Double) -> Int32? {
    let limit = secondsNow() + seconds
    while process.status() == nil, secondsNow() < limit { usleep(2000) }
    return process.status()
  }
}
