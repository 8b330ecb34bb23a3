import Foundation
import Reactor
import TestSupport

/// Finds the programs that a comparison needs, and pins them to cores.
enum Executables {
  /// The path of this program, which also runs the parts.
  static let own: String =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    ?? CommandLine.arguments[0]

  /// Returns the relay's program: the given path, else the one beside this program.
  static func longwave(_ given: String?) -> String {
    given ?? (own as NSString).deletingLastPathComponent + "/longwave"
  }

  /// Whether each part can have a core of its own: there are two cores, and util-linux is installed.
  static let canPin = Limits.processors() >= 2 && Binary.find("taskset") != nil

  /// Returns the words before a command line that keep it on one core; empty where pinning is impossible.
  static func pin(to core: Int) -> [String] {
    guard canPin, let taskset = Binary.find("taskset") else { return [] }
    return [taskset, "-c", String(core)]
  }

  /// Returns the words before a command line that make the kernel end it with the bench, even if the bench is killed.
  static func dieWithParent(as user: (name: String, group: String)? = nil) -> [String] {
    guard let setpriv = Binary.find("setpriv") else { return [] }
    let identity = user.map {
      ["--reuid", $0.name, "--regid", $0.group, "--clear-groups"]
    }
    return [setpriv] + (identity ?? []) + ["--pdeathsig", "KILL"]
  }
}
