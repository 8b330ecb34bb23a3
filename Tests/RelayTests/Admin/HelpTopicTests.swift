import Foundation
import Longwave
import LongwaveAdmin
import TestSupport
import Testing

/// The manual's pages, as the program shows them, and the commands that they name.
@Suite struct HelpTopicTests {
  @Test func `help shows a page by its topic, and lists the topics`() async throws {
    for topic in ["proxy", "backup", "manual"] {
      let shown = try await LongwaveProcess.command(["help", topic])
      #expect(shown.status == 0 && shown.log.isEmpty)
      #expect(shown.output == Manual.page(on: topic)?.shown())
    }
    let list = try await LongwaveProcess.command(["help", "topics"])
    let help = try await LongwaveProcess.command(["help"])
    #expect(list.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    let words = list.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for page in Manual.pages {
      #expect(list.output.contains("  \(page.topic) ") && words.contains(page.summary))
      #expect(help.output.contains("  \(page.topic) "))
    }
    let plain = try await LongwaveProcess.command(["--help"])
    #expect(plain.output.contains("longwave help topics"))
    #expect(help.output.hasPrefix(plain.output))
  }

  @Test func `a command goes before a topic of the same name, which topics shows`() async throws {
    let command = try await LongwaveProcess.command(["help", "events"])
    #expect(command.output == (try await LongwaveProcess.command(["events", "--help"]).output))
    let page = try await LongwaveProcess.command(["help", "topics", "events"])
    #expect(page.output == Manual.page(on: "events")?.shown())
  }

  @Test func `an unknown topic is 64, and names what is near`() async throws {
    for (words, meant) in [
      (["help", "bakup"], "did you mean backup?"), (["help", "serv"], "did you mean serve?"),
      (["help", "topics", "proxi"], "did you mean proxy?"),
      (["help", "qqqqqq"], "longwave help topics"),
    ] {
      let refused = try await LongwaveProcess.command(words)
      #expect(refused.status == 64 && refused.output.isEmpty)
      #expect(refused.complaint?.contains(meant) == true, "\(words): \(refused.log)")
    }
  }

  @Test func `commands that pages name are there, with their options and topics`() async throws {
    let commands = try await CommandTableTests.commands()
    var count = 0
    for page in Manual.pages {
      for words in Self.commandLines(in: page.text) {
        count += 1
        if words.first == "--version" { continue }
        if words.first == "help" {
          let topic = words.dropFirst().first { $0 != "topics" }
          #expect(
            topic == nil || topic == "TOPIC" || Manual.page(on: topic ?? "") != nil, "\(words)")
          continue
        }
        let path = [2, 1].map { words.prefix($0).joined(separator: " ") }.first {
          commands[$0] != nil
        }
        // `longwave station` alone names what has commands below itself.
        let isGroup = commands.keys.contains { $0.hasPrefix(words.joined(separator: " ") + " ") }
        guard let path else {
          #expect(isGroup, "\(page.topic): longwave \(words.joined(separator: " "))")
          continue
        }
        for option in words where option.hasPrefix("--") {
          let name = String(option.dropFirst(2).prefix { $0 != "=" })
          #expect(
            commands[path]?.contains(name) == true || name == "help",
            "\(page.topic): longwave \(path) \(option)")
        }
      }
    }
    #expect(count > 80)
  }

  /// The words behind `longwave` in blocks of code and in backquotes.
  private static func commandLines(in text: String) -> [[String]] {
    var lines: [Substring] = []
    for block in text.matches(of: /(?ms)^```\n(.*?)^```$/) {
      lines += block.1.replacing("\\\n", with: " ").split(separator: "\n")
    }
    let prose = text.replacing(/(?ms)^```.*?^```$/, with: "")
    lines += prose.matches(of: /`([^`\n]+)`/).map { $0.1 }
    return lines.compactMap { line in
      guard let call = line.firstMatch(of: /(?:^|sudo |then |\| |CONTAINER )longwave ([^|>#;&`]*)/)
      else {
        return nil
      }
      return call.1.split(separator: " ").map { String($0) }
    }
  }
}
