import Foundation
import Reactor

/// The programs a comparison needs, and how they are pinned.
enum Executables {
  /// This program, for its own parts.
  static let own: String =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    ?? CommandLine.arguments[0]

  /// The path of a program on PATH or in Debian's usual places; nil: it is not installed.
  static func find(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let directories = path.split(separator: ":").map(String.init) + ["/usr/bin", "/usr/sbin"]
    return directories.map { "\($0)/\(name)" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }

  /// Whether the parts get a core each: there are two, and util-linux is installed.
  static let canPin = Limits.processors() >= 2 && find("taskset") != nil

  /// The words before a command line that keep it on one core, where that can be done.
  static func pin(to core: Int) -> [String] {
    guard canPin, let taskset = find("taskset") else { return [] }
    return [taskset, "-c", String(core)]
  }

  /// The words before a command line that let the kernel end it with us, even if we are killed.
  static func dieWithParent(as user: (name: String, group: String)? = nil) -> [String] {
    guard let setpriv = find("setpriv") else { return [] }
    let identity = user.map {
      ["--reuid", $0.name, "--regid", $0.group, "--clear-groups"]
    }
    return [setpriv] + (identity ?? []) + ["--pdeathsig", "KILL"]
  }
}
