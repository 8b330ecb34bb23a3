import Foundation
import TestSupport
import Testing

/// Holds the pages for people together: README.md, those of Sources, and those of its targets.
@Suite struct PageLinkTests {
  private static let root = URL(filePath: Repository.root)

  private static func pages() throws -> [URL] {
    func pages(in folder: URL) throws -> [URL] {
      try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "md" }
    }
    let sources = root.appending(path: "Sources")
    let targets = try FileManager.default.contentsOfDirectory(
      at: sources, includingPropertiesForKeys: nil
    ).filter(\.hasDirectoryPath)
    return try pages(in: root) + pages(in: sources) + targets.flatMap(pages)
  }

  /// The name under which a link finds a heading: lower case, blanks as hyphens, no other signs.
  private static func anchor(_ heading: Substring) -> String {
    let letters = heading.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
    return letters.split(separator: " ").joined(separator: "-")
  }

  private static func anchors(of page: URL) throws -> Set<String> {
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
    return Set(
      lines.filter { $0.hasPrefix("#") }.map { anchor($0.drop { $0 == "#" || $0 == " " }) })
  }

  @Test func `every link of a page leads to a file, and to a heading in it`() throws {
    let pages = try Self.pages()
    #expect(pages.count > 15)
    for page in pages {
      let text = try String(contentsOf: page, encoding: .utf8)
      for match in text.matches(of: /\]\(([^)\s#]*)(?:#([^)\s]+))?\)/) {
        if match.1.hasPrefix("http") { continue }
        let target =
          match.1.isEmpty
          ? page : page.deletingLastPathComponent().appending(path: match.1).standardized
        guard FileManager.default.fileExists(atPath: target.path) else {
          Issue.record("\(page.lastPathComponent): no file \(match.1)")
          continue
        }
        guard let heading = match.2 else { continue }
        #expect(try Self.anchors(of: target).contains(String(heading)), "\(page.path): \(heading)")
      }
    }
  }

  @Test func `every target of the library has its page`() throws {
    let sources = Self.root.appending(path: "Sources")
    for target in try FileManager.default.contentsOfDirectory(atPath: sources.path) {
      // A C module is one header. The program's help is its page.
      let isC = target.hasPrefix("C") && target.dropFirst().first?.isUppercase == true
      let isProgram = target == "LongwaveCLI"
      let folder = sources.appending(path: target)
      // Manual is pages alone.
      guard !isC, !isProgram, target != "Manual", !target.hasSuffix(".md") else { continue }
      #expect(
        FileManager.default.fileExists(atPath: folder.appending(path: "README.md").path),
        "\(target)")
    }
  }
}
