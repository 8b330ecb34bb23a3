import Testing

@testable import Longwave

@Suite struct LineDiffTests {
  private func diff(_ old: String, _ new: String, context: Int = 1) -> [String] {
    LineDiff.lines(from: LineDiff.split(old), to: LineDiff.split(new), context: context)
      .map { "\($0.operation.rawValue)\($0.text)" }
  }

  @Test(arguments: [
    ("", "", []), ("a\nb\n", "a\nb\n", []), ("a\r\nb\r\n", "a\nb\n", []),
    ("", "a\n", ["+a"]), ("a\n", "", ["-a"]), ("a", "b", ["-a", "+b"]),
    ("a\nb\nc\nd\n", "a\nb\nx\nd\n", [" b", "-c", "+x", " d"]),
    ("a\nb\nc\nd\ne\n", "a\ne\n", [" a", "-b", "-c", "-d", " e"]),
    ("x\nx\nx\n", "x\nx\n", [" x", "-x"]),
    (
      "1\n2\n3\n4\n5\n6\n7\n", "1\nb\n3\n4\n5\nf\n7\n",
      [" 1", "-2", "+b", " 3", " 5", "-6", "+f", " 7"]
    ),
  ])
  func `what differs is told with what stands around it`(
    old: String, new: String, lines: [String]
  ) {
    #expect(diff(old, new) == lines)
  }

  @Test func `a block that moved is taken away and added, and all else stays`() {
    let blocks = (0..<6).map { "- id: s\($0)\n  upstream: http://a/\($0)\n  window: 1h\n" }
    var moved = blocks
    moved.append(moved.remove(at: 1))
    let lines = diff(blocks.joined(), moved.joined(), context: 0)
    #expect(lines.count { $0.first == "-" } == 3 && lines.count { $0.first == "+" } == 3)
  }

  @Test func `applied to the old text, the differences give the new one`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      func text() -> [Substring] {
        (0..<Int.random(in: 0...12, using: &random)).map { _ in
          Substring("\(Int.random(in: 0...6, using: &random))")
        }
      }
      let (old, new) = (text(), text())
      let lines = LineDiff.lines(from: old, to: new, context: 100)
      let from = lines.filter { $0.operation != .added }
      let to = lines.filter { $0.operation != .removed }
      if old != new {
        #expect(from.map(\.text) == old.map(String.init), "\(old) \(new)")
        #expect(to.map(\.text) == new.map(String.init), "\(old) \(new)")
        for line in lines {
          let text = line.operation == .removed ? old : new
          #expect(text[line.number - 1] == line.text)
        }
      }
    }
  }

  @Test func `texts that have nothing in common cost little`() {
    let old = (0..<100_000).map { Substring("old \($0)") }
    let new = (0..<100_000).map { Substring("new \($0)") }
    #expect(LineDiff.lines(from: old, to: new).count == 200_000)
    let same = [Substring](repeating: "  x: y", count: 100_000)
    #expect(LineDiff.lines(from: same, to: same + ["z"]).count == 4)
  }
}

@Suite struct MaskedTextTests {
  private func masked(_ text: String) -> String {
    MaskedText.masked(LineDiff.split(text)).joined(separator: "\n")
  }

  @Test(arguments: [
    ("admin:\n  token: abc\nstations:", "admin:\n  token: •••\nstations:"),
    ("admin: {token: abc, x: 1}", "admin: {token: •••, x: 1}"),
    ("- \"source-password\": 'a b' # c", "- \"source-password\": •••"),
    ("  tokens:\n    - abc\n    - def\n  name: x", "  tokens:\n    - •••\n    - •••\n  name: x"),
    ("tokens:\n- abc\n- def\nname: x", "tokens:\n- •••\n- •••\nname: x"),
    ("- token: >\n    abc\n\n    def\n  name: x", "- token: •••\n    •••\n\n    •••\n  name: x"),
    ("request-headers: [\"X: secret\"]", "request-headers: •••"),
    ("tls:\n  key: abc\n  only: true", "tls:\n  key: •••\n  only: true"),
    ("# token: abc\nname:\n  x: y", "# token: •••\nname:\n  x: y"),
    ("keep: 5d\nkeep-count: 3\nmonkey: x", "keep: 5d\nkeep-count: 3\nmonkey: x"),
    ("upstream: http://u:p@a.b/c", "upstream: http://•••@a.b/c"),
    ("upstream: [http://u:p/q@a.b/c, http://u@d/]", "upstream: [http://•••@a.b/c, http://•••@d/]"),
    ("a: http://b/c?x=1&token=abc&apikey=d#e", "a: http://b/c?x=1&token=•••&apikey=•••"),
    ("a: http://b:8000/c@d?x=1", "a: http://•••@d?x=1"),
    ("proxy: socks5://u:p@h:1", "proxy: socks5://•••@h:1"),
    ("name: Jazz: 24 h", "name: Jazz: 24 h"),
    // What YAML takes for the rest of a value, wherever it stands.
    ("admin: {token:\n\"abc\ndef\"}\nx: y", "admin: {token:\n•••\n•••\nx: y"),
    ("  - token: \"ab\\\nc: d\\\"\ne: f\"\n    x: y", "  - token: •••\n•••\n•••\n    x: y"),
    ("a:\n  tokens: [\nabc,\ndef\n]\n  x: y", "a:\n  tokens: •••\n•••\n•••\n]\n  x: y"),
    ("  ? token\n  : abc\n  x: y", "  ? token\n  : •••\n  x: y"),
    ("tokens:\n# one\n  - abc\nx: y", "tokens:\n# one\n  - •••\nx: y"),
    ("token: it's\nname: x", "token: •••\nname: x"),
    // Between braces, what stands beside a secret is shown, wherever the secret stands.
    ("- {id: a, token: abc, name: b}", "- {id: a, token: •••, name: b}"),
    (
      "- {token: abc, name: b, tokens: [c, d], of: e}",
      "- {token: •••, name: b, tokens: •••, of: e}"
    ),
    ("- {id: a, token: 'b, c: d', name: e}", "- {id: a, token: •••, name: e}"),
    ("- {id: a, token: \"b\\\", c: d\", name: e}", "- {id: a, token: •••, name: e}"),
    ("- {\"token\":\"abc\",\"name\":\"b\"}", "- {\"token\": •••,\"name\":\"b\"}"),
    ("- {token: ab,cd, name: e}", "- {token: •••, name: e}"),
    ("- {token: {a: b, c: d}, name: e}", "- {token: •••, name: e}"),
    ("- {id: a, token: abc,\n   name: b}", "- {id: a, token: •••,\n   name: b}"),
    ("- {id: a, token:\n   abc,\n   name: b}", "- {id: a, token:\n   •••\n   name: b}"),
    ("- {id: a, token: ab\n  cd, name: b}\n- id: e", "- {id: a, token: •••\n  •••\n- id: e"),
    (
      "- {id: a, upstream: 'http://token:b@c/', name: d}",
      "- {id: a, upstream: 'http://•••@c/', name: d}"
    ),
    // A brace that YAML takes for a letter opens nothing.
    ("name: a { b\ntoken: c, of: d", "name: a { b\ntoken: •••"),
    ("name: \"{a\"\ntoken: c, of: d", "name: \"{a\"\ntoken: •••"),
    ("token: {c, of: d", "token: •••"),
    // Files that hold secrets are none.
    (
      "auth: {htpasswd: /etc/jazz.htpasswd, tokens: [a]}",
      "auth: {htpasswd: /etc/jazz.htpasswd, tokens: •••}"
    ),
    ("tls: {certificate: /a/b.pem, key: /a/k.pem}", "tls: {certificate: /a/b.pem, key: /a/k.pem}"),
    ("  htpasswd: me:$2y$05$abcdefgh", "  htpasswd: •••"), ("  key: /Zm9vYmFyCg==", "  key: •••"),
    // Secrets under keys that nobody knows: by their own look, or since another key was meant.
    ("tokn: abc", "tokn: •••"), ("sorce-pasword: abc", "sorce-pasword: •••"),
    ("pwd: abc", "pwd: •••"),
    ("streamKey: abc", "streamKey: •••"), ("auth: abc", "auth: •••"), ("pass: abc", "pass: •••"),
    ("club: b7c1f0a94e5d2c88", "club: •••"),
    ("- {id: a, club: b7c1f0a94e5d2c88, of: b}", "- {id: a, club: •••, of: b}"),
    ("club:\n  - b7c1f0a94e5d2c88\n  - evening\nname: x", "club:\n  - •••\n  - evening\nname: x"),
    ("club: [b7c1f0a94e5d2c88, x]", "club: •••"),
    ("tokn:\n  - abc\nname: x", "tokn:\n  - •••\nname: x"),
    // What is no secret, near to secrets' names or looks.
    ("colour: red", "colour: red"), ("windo: 4h30m", "windo: 4h30m"),
    ("id: jazz-24-seven", "id: jazz-24-seven"),
    ("throttle-bypass: 30s", "throttle-bypass: 30s"),
    ("name: Secret Garden", "name: Secret Garden"),
    ("name: b7c1f0a94e5d2c88", "name: b7c1f0a94e5d2c88"), ("hockey: on", "hockey: on"),
    ("auth:\n  tokens: [a]\n  htpasswd: /a/b.c", "auth:\n  tokens: •••\n  htpasswd: /a/b.c"),
    (
      "a: http://b/c?author=d&keyword=e&signal=f&monkey=g",
      "a: http://b/c?author=d&keyword=e&signal=f&monkey=g"
    ),
    (
      "a: http://b/c?sig=d&streamkey=e&auth=f&pw=g",
      "a: http://b/c?sig=•••&streamkey=•••&auth=•••&pw=•••"
    ),
    // Comments.
    ("# the Password is abc\n# x", "# the Password •••\n# x"),
    ("#  tokens:\n#    - abc\nx: y", "#  tokens:\n#    - •••\nx: y"),
    ("x: y # once the token abc", "x: y # once the token •••"),
  ])
  func `secrets are hidden, and all else stays`(text: String, shown: String) {
    #expect(masked(text) == shown)
  }

  @Test func `words that are known as secrets are hidden wherever they stand`() {
    let lines = LineDiff.split("name: &a hunter2/222\ngenre: ['hunter2/222', hunter2]")
    #expect(
      MaskedText.masked(lines, known: ["hunter2/222"]) == [
        "name: &a •••", "genre: ['•••', hunter2]",
      ])
  }

  @Test func `long lines and many of them cost little`() {
    let words = String(repeating: "a: \"b' # tokens :://@?", count: 20_000)
    _ = masked(words)
    _ = masked("token: \"" + words)
    _ = masked(String(repeating: "# token\n: x\n", count: 20_000))
    _ = masked("{" + String(repeating: "token: a, tokn: 'b', x: c12345678, ", count: 20_000))
    _ = masked("{token: " + String(repeating: "[a, b: ", count: 20_000))
  }

  @Test func `some lines are masked as they are among all of them`() {
    let lines = LineDiff.split("a: b\ntokens:\n  - c\n  - d\nname: e")
    let some = MaskedText.masked(lines, known: [], only: [0, 3])
    #expect(some == [0: "a: b", 3: "  - •••"])
    #expect(MaskedText.masked(lines, known: [], only: []).isEmpty)
  }

  @Test func `there are as many lines as before`() {
    let text = "token:\n\n  a\n\nb: c\n"
    #expect(MaskedText.masked(LineDiff.split(text)).count == LineDiff.split(text).count)
  }
}
