import Foundation
import Glibc
import TestSupport

/// What the kernel says of a process.
struct Figures: Sendable {
  private let id: pid_t
  private var folder: String { "/proc/\(id)" }

  init(of id: pid_t) { self.id = id }

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

  /// Of all its threads, ours and the kernel's part.
  var cpuSeconds: Double { ProcessFigures.cpuTime(of: id).total }

  private func bytes(_ name: String) -> Int {
    let kibibytes = Proc.text(folder + "/status").flatMap { Proc.value(name, in: $0) } ?? 0
    return Int(kibibytes) * 1024
  }
}
