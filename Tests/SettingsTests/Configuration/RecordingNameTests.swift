import Glibc
import Testing
import Timeshift
import Wire

@testable import Settings

struct RecordingNameTests {
  private func name(_ pattern: String, _ title: Title? = nil, number: Int = 7) -> String {
    // 2026-11-20T18:00:05.9Z
    let time = WallTime(nanoseconds: 1_795_197_605_900_000_000)
    return RecordingName(pattern: pattern, station: "jazz").text(
      at: time, title: title, number: number
    ) { time in
      var (time, parts) = (time, tm())
      gmtime_r(&time, &parts)
      return parts
    }
  }

  private static let song = Title(
    text: "Nina Simone - Sinnerman", parts: TitleParts(artist: "Nina Simone", title: "Sinnerman"))

  @Test func `fields are filled in`() {
    #expect(name("{station} %Y-%m-%d %H-%M-%S") == "jazz 2026-11-20 18-00-05")
    #expect(name("{number} {artist} - {title}", Self.song) == "007 Nina Simone - Sinnerman")
    #expect(name("{number} {artist} - {title}", Title(text: "News")) == "007 News")
    #expect(name("{number}", number: 12345) == "12345")
    #expect(name("{other} {title}", nil) == "{other}")
    #expect(name("100%% {title}", Title(text: "%Y {artist}")) == "100% %Y {artist}")
  }

  @Test(arguments: [
    ("{artst} - {title}", "has {artst}, which is unknown; did you mean {artist}? There are "),
    ("{station} {Title}", "has {Title}, which is unknown; did you mean {title}? There are "),
    (
      "{colour}",
      "has {colour}, which is unknown; write {station}, {show}, {artist}, {title} or {number}"
    ),
    ("{{ title }}", "has { title }, which is unknown; "),
  ])
  func `a field that nobody knows is told with what may be meant`(pattern: String, words: String) {
    #expect(RecordingName.problem(in: pattern)?.hasPrefix(words) == true)
  }

  @Test(arguments: [
    "{station} {artist} {title} {number}", "show", "{{title}}", "{%Y} {2026} {}", "{title", "a}{b",
    RecordingName.standard(splits: true), RecordingName.standard(splits: false),
  ])
  func `braces that are no field stand for themselves`(pattern: String) {
    #expect(RecordingName.problem(in: pattern) == nil)
  }

  @Test(arguments: [
    ("../../etc/passwd", "-..-etc-passwd"), ("/etc/passwd", "-etc-passwd"), ("..", "recording"),
    (".hidden", "hidden"), ("", "recording"), ("  . a  b ", "a b"), ("a\u{0}b\nc\u{7F}", "abc"),
    ("a\\b", "a-b"), ("\u{202E}gpj.exe", "gpj.exe"), ("a\u{2028}b", "ab"),
    ("Björk – Jóga", "Björk – Jóga"),
  ])
  func `a title cannot lead out of the folder`(title: String, expected: String) {
    #expect(name("{title}", Title(text: title)) == expected)
  }

  @Test func `a long name is cut between two characters`() {
    for length in 60...70 {
      let cut = name(
        "{title}",
        Title(text: String(repeating: "a", count: length) + String(repeating: "👩‍🚀", count: 40)))
      #expect(cut.utf8.count <= 200 && cut.utf8.count > 180)
      #expect(cut.drop { $0 == "a" }.allSatisfy { $0 == "👩‍🚀" })
    }
  }

  @Test func `a random title becomes one valid file name`() {
    var random = SystemRandomNumberGenerator()
    let signs = Array("./\\ ab-{}%\u{0}\n\u{202E}é".unicodeScalars)
    for _ in 0..<2000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0..<12, using: &random) { text.append(signs.randomElement()!) }
      let name = name("{title}", Title(text: String(text)))
      #expect(
        !name.isEmpty && !name.contains("/") && !name.hasPrefix("."),
        "\(String(text).debugDescription)")
      #expect(name.unicodeScalars.allSatisfy { $0.value >= 32 })
    }
  }
}
