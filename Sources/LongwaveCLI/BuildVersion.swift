import CBuild
import Longwave

/// What this program was built from.
enum BuildVersion {
  /// Version, commit and compiler, as in "1.0.0 (commit 0123456789ab, Swift 6.3)".
  static var text: String {
    let commit = String(cString: longwave_commit())
    let parts = (commit.isEmpty ? [] : ["commit \(commit)"]) + ["Swift \(swift)"]
    return "\(RelayVersion.number) (\(parts.joined(separator: ", ")))"
  }

  // The compiler tells its version by conditions only.
  #if compiler(>=6.6)
    private static let swift = "6.6 or newer"
  #elseif compiler(>=6.5)
    private static let swift = "6.5"
  #elseif compiler(>=6.4)
    private static let swift = "6.4"
  #elseif compiler(>=6.3.3)
    private static let swift = "6.3.3"
  #elseif compiler(>=6.3.2)
    private static let swift = "6.3.2"
  #elseif compiler(>=6.3.1)
    private static let swift = "6.3.1"
  #elseif compiler(>=6.3)
    private static let swift = "6.3"
  #else
    private static let swift = "6.2"
  #endif
}
