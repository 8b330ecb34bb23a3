import LongwaveAdmin
import ArgumentParser
import Foundation
import Longwave
import TestSupport

/// Every key of the configuration with every value, read by processes of their own, since a trap ends the one it is in.
struct ConfigurationAttack {
  private let report: Report
  private static let secondsMax = 5.0
  /// A folder of each Debian machine with few files: a check looks through what a programme plays, for as long as that takes.
  private static let folder = "/usr/share/base-files"

  init(_ report: Report) { self.report = report }

  /// One reading process at a time, which says how far it has come.
  /// - Parameter countMax: of a short run; each takes less than a tenth of a millisecond.
  func run(seed: UInt64, countMax: Int) {
    var random = SplitMix(seed: seed)
    var attacks = Self.all.shuffled(using: &random).prefix(countMax)
    let began = secondsNow()
    let count = attacks.count
    while !attacks.isEmpty {
      let (read, isAlive, seconds) = read(Array(attacks))
      attacks = attacks.dropFirst(read)
      if isAlive { break }
      if let attack = attacks.popFirst() {
        let what = seconds > Self.secondsMax ? "is read for \(seconds.short) s" : "ends the program"
        report.add(Fault(what: "configuration that \(what)", attack: attack))
        attacks = attacks.filter { $0.place != attack.place }
      }
    }
    report.say("\(count) configurations in \((secondsNow() - began).short) s")
  }

  func again(_ attack: Attack) -> Int32 {
    let (_, isAlive, _) = read([attack])
    print(isAlive ? "nothing happens" : "ends the program")
    return isAlive ? 0 : 1
  }

  /// How many were read, and whether the process has outlived them.
  private func read(_ attacks: [Attack]) -> (Int, isAlive: Bool, seconds: Double) {
    let folder = TemporaryDirectory()
    // A length in front of each.
    let text = attacks.flatMap { Array("\($0.bytes.count)\n".utf8) + $0.bytes }
    folder.write("texts", text)
    guard
      let process = try? ChildProcess(
        [Binary.tests, "read-configurations", folder.path + "/texts"],
        environment: ChildProcess.plainEnvironment + ["SWIFT_BACKTRACE=enable=no"])
    else { return (0, true, 0) }
    var (before, since) = (0, secondsNow())
    while process.status() == nil {
      usleep(5000)
      let now = process.outputBytes.count
      if now != before { (before, since) = (now, secondsNow()) }
      if secondsNow() - since > 4 * Self.secondsMax { process.signal(SIGKILL) }
    }
    return (process.outputBytes.count, process.status() == 0, secondsNow() - since)
  }

  // MARK: What is read

  static var all: [Attack] {
    ConfigurationKeys.sections.flatMap { section in
      section.keys.flatMap { key in
        HostileValues.values(for: key).map { value in
          attack(section.name, key, Self.quoted(value))
        } + shapes.map { attack(section.name, key, Array($0.utf8)) }
      }
    } + documents.map { Attack(way: .config, bytes: Array($0.utf8), place: "config document") }
  }

  private static func attack(_ section: String, _ key: String, _ value: [UInt8]) -> Attack {
    let entry = Array("\(key): ".utf8) + value
    let yaml: [UInt8] =
      switch section {
      case "stations":
        Array("stations: [{\(key == "id" ? "" : "id: x, ")upstream: \"http://127.0.0.1:1/\", ".utf8)
          + entry + Array("}]".utf8)
      case "webhooks":
        Array("webhooks: [{\(key == "url" ? "" : "url: \"http://127.0.0.1:1/\", ")".utf8)
          + entry + Array("}]".utf8)
      case "renditions":
        Array("stations: [{id: x, upstream: \"http://127.0.0.1:1/\", renditions: [{".utf8)
          + companions(section, key) + entry + Array("}]}]".utf8)
      case "roots":
        Array("library: {roots: [{".utf8) + companions(section, key) + entry + Array("}]}".utf8)
      case "links":
        Array("web: {links: [{".utf8) + companions(section, key) + entry + Array("}]}".utf8)
      case "certificates":
        Array("server: {tls: {certificates: [{".utf8) + entry + Array("}]}}".utf8)
      case "tls": Array("server: {tls: {".utf8) + entry + Array("}}".utf8)
      case "auth", "metadata", "record", "hls":
        Array("stations: [{id: x, upstream: \"http://127.0.0.1:1/\", \(section): {".utf8)
          + companions(section, key) + entry
          + Array("}}]".utf8)
      case "programme", "separate", "insert", "parts":
        Array("stations: [{id: x, programme: {".utf8) + programme(section, key, entry)
          + Array("}}]".utf8)
      default: Array("\(section): {".utf8) + entry + Array("}".utf8)
      }
    return Attack(way: .config, bytes: yaml + [10], place: "config \(section).\(key)")
  }

  /// The keys of a programme in which one of its sections has an entry.
  private static func programme(_ section: String, _ key: String, _ entry: [UInt8]) -> [UInt8] {
    let play = Array("play: \"folder:\(folder)\"".utf8)
    let isChoice = ["play", "wheel"].contains(key)
    switch section {
    case "programme": return isChoice ? entry : play + Array(", ".utf8) + entry
    case "separate": return play + Array(", separate: {".utf8) + entry + Array("}".utf8)
    default:
      return play + Array(", \(section): [{".utf8) + companions(section, key) + entry
        + Array("}]".utf8)
    }
  }

  private static func companions(_ section: String, _ key: String) -> [UInt8] {
    let needed = [
      "record": [("from", "\"18:00\""), ("to", "\"19:00\"")],
      "renditions": [("id", "a"), ("bitrate", "64")],
      "roots": [("id", "a"), ("path", folder)],
      "links": [("name", "a"), ("url", "/a")],
      "metadata": [("url", "\"http://127.0.0.1:1/\"")],
      "parts": [("from", "\"18:00\""), ("to", "\"19:00\""), ("order", "shuffle")],
      "insert": [("play", "\"folder:\(folder)\"")]
        + (key == "at" || key == "every" ? [] : [("every", "4 tracks")]),
    ]
    return (needed[section] ?? []).filter { $0.0 != key }.flatMap {
      Array("\($0.0): \($0.1), ".utf8)
    }
  }

  private static func quoted(_ value: [UInt8]) -> [UInt8] { HostileJSON.quoted(value) }

  private static let shapes =
    HostileValues.numbers
    + [
      "[]", "{}", "[[]]", "[{}]", "null", "~", "!!binary aGVsbG8=", "!!float .inf", "&a [*a]", "*b",
      "[a, [b, [c]]]",
      "{a: {b: c}}", String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
      "[" + String(repeating: "a,", count: 3000) + "a]",
      "{" + (0..<2000).map { "k\($0): 1" }.joined(separator: ",") + "}",
    ]

  private static let documents = [
    "", "~", "[]", "a", "---\n---\n", "\t", "a: [", "a: &a [*a]\n", "%YAML 9.9\n---\n", "? a\n",
    "a: 1\na: 2\n", "\u{FEFF}a: 1\n",
    "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n",
    String(repeating: "[", count: 100_000), String(repeating: "a:\n ", count: 3000),
    "stations: ["
      + (0..<3000).map { "{id: s\($0), upstream: \"http://a/\"}" }.joined(separator: ",") + "]",
  ]
}

/// Reads configurations one after the other, and says so.
struct ConfigurationReading: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read-configurations", shouldDisplay: false)

  @Argument var file: String

  func run() throws {
    var rest = Array(try Data(contentsOf: URL(fileURLWithPath: file)))[...]
    while let end = rest.firstIndex(of: 10),
      let count = Int(String(decoding: rest[..<end], as: UTF8.self))
    {
      let text = String(decoding: rest[(end + 1)..<(end + 1 + count)], as: UTF8.self)
      rest = rest[(end + 1 + count)...]
      if let read = try? Configuration.parse(yaml: text, file: "x") {
        _ = ConfigurationReport(read, data: "/nonexistent").lines
      }
      // At once, and not when it is much: how far it came is all that a trap leaves.
      FileHandle.standardOutput.write(Data([UInt8(ascii: ".")]))
    }
  }
}
