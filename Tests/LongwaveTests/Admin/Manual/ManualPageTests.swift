import Foundation
import TestSupport
import Testing

@testable import Longwave
@testable import LongwaveAPI
@testable import LongwaveAdmin
@testable import Settings

/// Holds the manual's pages to the program.
@Suite struct ManualPageTests {
  /// The topics of the pages in Sources/Manual; that of their list, README.md, is `manual`.
  private static func topics() throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: Repository.root + "/Sources/Manual"
    ).filter { $0.hasSuffix(".md") }.map { $0 == "README.md" ? "manual" : String($0.dropLast(3)) }
      .sorted()
  }

  private static func pages() throws -> [ManualPage] {
    try topics().map { topic in try #require(Manual.page(on: topic), "\(topic)") }
  }

  /// The blocks of code with their languages.
  private static func blocks(of text: String) -> [(language: String, text: String)] {
    text.matches(of: /(?ms)^```([a-z]*)\n(.*?)^```$/).map { (String($0.1), String($0.2)) }
  }

  @Test func `every page is in the program as it stands, and every topic is listed`() throws {
    let topics = try Self.topics()
    #expect(topics.count > 10)
    for topic in topics {
      let file = topic == "manual" ? "README" : topic
      #expect(try Manual.page(on: topic)?.text == Repository.text("Sources/Manual/\(file).md"))
      let listed = "\n" + Manual.topics(columns: 80)
      #expect(listed.contains("\n  \(topic) "))
    }
    #expect(Manual.pages.map(\.topic) == topics)
    for page in Manual.pages {
      #expect(page.summary.count > 10 && page.summary.count < 100, "\(page.topic): \(page.summary)")
    }
  }

  @Test func `tables are readable at 80 columns, and links have no targets`() throws {
    for page in Manual.pages {
      let (shown, whole) = (page.shown(), page.shown(columns: 10_000))
      #expect(!shown.contains("](") && !shown.contains("|---"), "\(page.topic)")
      let lines = { (text: String) in Set(text.split(separator: "\n")) }
      let wrapped = lines(shown).subtracting(lines(whole))
      #expect(wrapped.allSatisfy { $0.count <= 80 }, "\(page.topic)")
      // No word of a table is lost where its cells are wrapped.
      let words = { (text: String) in text.filter { !" \n-".contains($0) }.sorted() }
      #expect(words(shown) == words(whole), "\(page.topic)")
    }
  }

  @Test func `a table's cells go on below themselves, and a bar in backquotes parts none`() {
    let page = ManualPage(
      topic: "x",
      text: """
        # X
        | key | meaning |
        |---|---|
        | `a` | [words](https://example.org/x) that are long enough to be wrapped |
        | `b` | `a|b` is one cell; see [the page](tls.md) |
        """)
    #expect(
      page.shown(columns: 40) == """
        # X
        key  meaning
        ---  -----------------------------------
        `a`  words that are long enough to be
             wrapped

        `b`  `a|b` is one cell; see the page
             (longwave help tls)

        """)
  }

  @Test func `an unknown topic is told with the one that is near`() {
    #expect(Manual.advice(on: "bakup", besides: []) == "did you mean backup?")
    #expect(Manual.advice(on: "trouble", besides: []) == "did you mean troubleshooting?")
    #expect(Manual.advice(on: "serv", besides: ["serve"]) == "did you mean serve?")
    #expect(Manual.advice(on: "qqqqqq", besides: []) == "longwave help topics lists the topics")
  }

  @Test func `every kind of event is on the page of events`() throws {
    let page = try #require(Manual.page(on: "events")).text
    for kind in RelayEvent.Kind.allCases {
      let row = page.split(separator: "\n").first { line in
        line.hasPrefix("|")
          && line.split(separator: "|").first?.contains("`\(kind.rawValue)`") == true
      }
      #expect(row != nil, "\(kind.rawValue)")
    }
  }

  @Test func `the API's page has a line for each operation that changes something`() throws {
    let page = try #require(Manual.page(on: "api")).text
    let requests = page.replacing("\\\n", with: "").split(separator: "\n")
      .filter { $0.hasPrefix("curl ") }.compactMap { line -> (method: String, path: String)? in
        guard let path = line.firstMatch(of: /"?\$relay(\/[^ "?]*)/) else { return nil }
        let named = line.firstMatch(of: /-X ([A-Z]+)/).map { String($0.1) }
        let implied =
          line.contains("--json") || line.contains("--data")
          ? "POST" : line.contains(" -T ") ? "PUT" : "GET"
        return (named ?? implied, String(path.1))
      }
    #expect(requests.count > 25)
    // Monitors take GET as well, which the page shows.
    let changing = Operation.all.filter {
      $0.method != "GET" && $0.method != "HEAD" && !$0.name.hasSuffix("ByForm")
    }
    #expect(changing.count > 15)
    for operation in changing {
      let isThere = requests.contains { request in
        request.method == operation.method && Self.matches(request.path, operation.path.text)
      }
      #expect(isThere, "\(operation.method) \(operation.path.text)")
    }
    let all = Operation.all
    for request in requests {
      let isKnown = all.contains {
        $0.method == request.method && Self.matches(request.path, $0.path.text)
      }
      #expect(isKnown, "\(request.method) \(request.path)")
    }
  }

  private static func matches(_ path: String, _ template: String) -> Bool {
    let (parts, wanted) = (path.split(separator: "/"), template.split(separator: "/"))
    return parts.count == wanted.count
      && zip(parts, wanted).allSatisfy { $0 == $1 || $1.hasPrefix("{") }
  }

  @Test func `blocks of YAML are configurations that load`() async throws {
    let certificate = try await TestCertificate()
    var count = 0
    for page in try Self.pages() {
      for block in Self.blocks(of: page.text) where block.language == "yaml" {
        // A first line with a name is a file of another program.
        if block.text.hasPrefix("# prometheus.yml") { continue }
        #expect(throws: Never.self, "\(page.topic): \(block.text)") {
          let yaml = block.text.replacing(
            "/etc/longwave/fullchain.pem", with: certificate.certificate
          )
          .replacing("/etc/longwave/privkey.pem", with: certificate.key)
          _ = try Configuration.parse(yaml: yaml, file: "\(page.topic).yml")
        }
        count += 1
      }
    }
    #expect(count > 6)
  }

  @Test func `keys of the configuration that pages name are there`() throws {
    let sections = Dictionary(
      ConfigurationKeys.sections.map { ($0.name, Set($0.keys)) }, uniquingKeysWith: { $0.union($1) }
    )
    let keys = Set(sections.keys).union(sections.values.joined())
    // Answers of Icecast in the table of what is otherwise: `head: icy-pub`.
    let answers: Set = ["head", "stats", "status-json", "streamlist", "xspf"]
    for page in try Self.pages() {
      let text = page.text.replacing(/(?ms)^```.*?^```$/, with: "")
      // `section: key`, where the section is no key of a station as well, and `key: value`.
      for match in text.matches(of: /`([a-z][a-z-]+): ([a-z-]+)(?::[^`]*)?`/) {
        let (name, key) = (String(match.1), String(match.2))
        if answers.contains(name) { continue }
        #expect(keys.contains(name), "\(page.topic): \(match.0)")
        guard let section = sections[name], !ConfigurationKeys.station.contains(name) else {
          continue
        }
        #expect(section.contains(key), "\(page.topic): \(match.0)")
      }
      for match in text.matches(of: /`([a-z][a-z-]+):`/) where !["push", "alsa"].contains(match.1) {
        #expect(keys.contains(String(match.1)), "\(page.topic): \(match.0)")
      }
    }
  }
}
