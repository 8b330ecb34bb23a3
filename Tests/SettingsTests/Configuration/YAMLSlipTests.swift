import Testing

@testable import Settings

/// Slips of quoting, which YAML takes for something else: each is told with what to do.
@Suite struct YAMLSlipTests {
  private static let station = "stations:\n  - id: a\n    upstream: http://x.example/a\n"

  @Test(
    arguments: [
      ("server:\n  listen: [::]:8000\n", 2, "\"[::]:8000\""),
      ("server:\n  listen:\n    - [::]:8000\n", 3, "\"[::]:8000\""),
      ("server: {listen: [::]:8000}\n", 1, "\"[::]:8000\""),
      (station + "    title-pattern: {artist} - {title}\n", 4, "\"{artist} - {title}\""),
      (station + "    title-pattern: {artist} by {title}\n", 4, "quote all of a value"),
      (station + "    title-pattern: [{artist} - {title}]\n", 4, "close the list with ]"),
      (station + "    name: {a\n", 5, "close the keys with }"),
      (station + "    mounts: [/a, /b\n    name: x\n", 5, "close the list with ]"),
      ("web:\n  embed: *\n", 2, "quote what begins with * or &"),
      (station + "    deny-agents: [*bot*]\n", 4, "quote what begins with * or &"),
      (station + "    deny-agents: *bot\n", 4, "quote what begins with *"),
      (station + "    name: - foo\n", 4, "quote a value that begins with a dash"),
      (station + "    name: @foo\n", 4, "quote what begins with @"),
      (station + "    name: %foo\n", 4, "@, ` or %"),
      (station + "    name: | foo\n", 4, "quote what begins with | or >"),
      (station + "    name: ? foo\n", 4, "quote what begins with ?"),
      (station + "    name: a: b\n", 4, "quote a value that contains \": \""),
      (station + "    name: \"a\" b\n", 4, "quote all of a value"),
      (station + "    name: 'It's jazz'\n", 4, "quote all of a value"),
      (station + "    name: 'a\n", 5, "close the quote that is opened in line 4"),
      ("stations:\n  - id: \"a\n    upstream: http://x/\n", 4, "opened in line 2"),
      (station + "    name: \"C:\\path\"\n", 4, "in single quotes"),
      (station + "    name: \"C:\\users\"\n", 4, "in single quotes"),
      (station + "\tname: a\n", 4, "indent with blanks, not tabs"),
      (station + "   name: a\n", 4, "check the indentation"),
      (station + "    name\n", 5, "write a colon and a blank behind the key in line 4"),
      ("%foo\n", 1, "quote what begins with %"),
      ("a: b\n---\nc: d\n", 2, "without ---"),
    ] as [(String, Int, String)])
  func `a slip of quoting is told with its line and what to do`(
    yaml: String, line: Int, advice: String
  ) {
    do throws(ConfigurationError) {
      _ = try Configuration.parse(yaml: yaml, file: "c.yml")
      Issue.record("it is taken")
    } catch {
      let message = error.problems.map(\.description)
      #expect(message.count == 1 && message[0].hasPrefix("c.yml:\(line): is not YAML: "))
      #expect(message.first?.contains(advice) == true, "\(message)")
    }
  }
}
