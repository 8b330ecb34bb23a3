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
    Terminal.print(lines.map { TerminalText.safe($0) + "\n" }.joined())
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

/// The address by which other machines reach this one.
enum OwnAddress {
  /// Returns a URL of `http://localhost:PORT/…` with this machine's own address; nil for another URL, whose host is
  /// one already, and on a machine without a network.
  static func url(like url: String) -> String? {
    let start = "http://localhost:"
    guard url.hasPrefix(start), let address = first else { return nil }
    return "http://\(address):" + url.dropFirst(start.count)
  }

  /// The first address of an interface that is up and not the machine's own loop. The corresponding C function is
  /// `getifaddrs`.
  private static var first: String? {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return nil }
    defer { freeifaddrs(list) }
    for entry in sequence(first: list, next: { $0?.pointee.ifa_next }) {
      guard let entry = entry?.pointee, let address = entry.ifa_addr,
        address.pointee.sa_family == UInt16(AF_INET),
        entry.ifa_flags & UInt32(IFF_UP) != 0,
        entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0
      else { continue }
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      if getnameinfo(address, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 {
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      }
    }
    return nil
  }
}
