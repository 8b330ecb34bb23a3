import Foundation
import Longwave
import LongwaveAPI
import LongwaveAdmin

extension Relay {
  /// Prints the addresses to open, for this machine and for others.
  ///
  /// - Parameter isTried: Whether somebody at a terminal tries the program, and is told what to do next.
  func announce(isTried: Bool = false) async {
    let program = ProgramName.shown
    var lines = ["data    \(dataPath)"]
    let isPage = await webSettings().isEnabled
    if isPage { lines.append("page    \(url(of: ""))") }
    lines += stationIDs.map { "listen  \(url(of: $0))" }
    if stationIDs.isEmpty {
      lines += [
        "listen  \(url(of: ""))",
        "        no stations yet: \(program) station add ID URL --data \(dataPath)",
      ]
    }
    let first = stationIDs.first ?? ""
    if let elsewhere = OwnAddress.url(like: url(of: isPage ? "" : first)) {
      lines.append("others  \(elsewhere) (from other machines)")
    }
    lines += shoutcastAddresses.map { "sources \($0) (SHOUTcast 1)" }
    if isTried {
      lines += [
        "try     mpv \(url(of: first))",
        "        mpv '\(url(of: first))?offset=1m' (a minute behind)",
        "        \(program) stats --watch --data \(dataPath)",
        "stop    Ctrl-C",
      ]
    }
    // Commands can be copied, so no line is broken.
    Terminal.announce(lines.map { TerminalText.safe($0) + "\n" }.joined())
  }
}

/// How this program can be called again.
enum ProgramName {
  /// `longwave` where the shell finds this program by that name, else the path by which it was called.
  static var shown: String {
    let called = CommandLine.arguments.first ?? "longwave"
    guard called.contains("/") else { return called }
    let own = real("/proc/self/exe")
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let found = path.split(separator: ":").lazy.compactMap { real("\($0)/longwave") }.first
    return found != nil && found == own ? "longwave" : called
  }

  private static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }
}
