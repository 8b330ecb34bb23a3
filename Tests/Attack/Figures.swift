import Foundation
import Glibc

/// What the kernel says of a process.
struct Figures: Sendable {
  private let folder: String

  init(of id: pid_t) { folder = "/proc/\(id)" }

  /// What a log keeps open of its past, of which there are as many as its share of the descriptors allows.
  static let segment = "segment"

  /// How many descriptors there are of each kind: `segment`, `socket`, `pipe`, a file's ending.
  var descriptorKinds: [String: Int] {
    let manager = FileManager.default
    let names = (try? manager.contentsOfDirectory(atPath: folder + "/fd")) ?? []
    let targets = names.compactMap {
      try? manager.destinationOfSymbolicLink(atPath: folder + "/fd/" + $0)
    }
    return targets.reduce(into: [:]) { kinds, target in
      kinds[Self.kind(of: target), default: 0] += 1
    }
  }

  /// A file that is deleted keeps ` (deleted)` behind its ending.
  private static func kind(of target: String) -> String {
    guard target.hasPrefix("/") else { return String(target.prefix { $0 != ":" }) }
    let name = (target as NSString).lastPathComponent as NSString
    let digits = name.deletingPathExtension
    if digits.count == 20, digits.allSatisfy(\.isNumber), !name.hasSuffix(")") { return segment }
    return name.pathExtension.isEmpty ? name as String : name.pathExtension
  }

  /// Bytes that are in memory now, and the most there have been since `forgetPeak`.
  var memory: Int { bytes("VmRSS:") }
  var peak: Int { bytes("VmHWM:") }

  /// proc(5): 5 in clear_refs sets the peak to what is there now.
  func forgetPeak() {
    try? "5".write(toFile: folder + "/clear_refs", atomically: false, encoding: .utf8)
  }

  /// Of all its threads, ours and the kernel's part. proc(5): the 14th and 15th field, in ticks.
  var cpuSeconds: Double {
    let stat = (try? String(contentsOfFile: folder + "/stat", encoding: .utf8)) ?? ""
    // The second field is the name, in brackets.
    let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13])
    else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private func bytes(_ name: String) -> Int {
    let status = (try? String(contentsOfFile: folder + "/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
    return (Int(line.filter(\.isNumber)) ?? 0) * 1024
  }
}
