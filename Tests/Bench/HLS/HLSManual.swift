import Foundation
import TestSupport

/// What the program's own manual tells of caches: so that is measured which people are given.
struct HLSManual {
  private let lines: [Substring]

  /// - Parameter program: longwave.
  init(of program: String) throws {
    let shown = try Tool.must([program, "help", "topics", "hls"], in: TemporaryDirectory())
    lines = String(decoding: shown.output, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// A configuration that the manual tells.
  struct Block {
    fileprivate(set) var text: String

    /// Puts a value of this run in the place of one that the manual has once.
    mutating func put(_ value: String, for old: String, behind word: String) throws {
      let parts = text.components(separatedBy: word + old)
      guard parts.count == 2 else {
        throw BenchError("the manual has \(parts.count - 1) times \"\(word + old)\"")
      }
      text = parts.joined(separator: word + value)
    }
  }

  /// Returns the first block of a language.
  func block(_ language: String) throws -> Block {
    let rest = lines.drop { $0 != "```\(language)" }.dropFirst()
    let block = rest.prefix { $0 != "```" }
    guard !block.isEmpty else { throw BenchError("the manual has no block of \(language)") }
    return Block(text: block.joined(separator: "\n"))
  }
}
