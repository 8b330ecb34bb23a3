import TestSupport
import Testing
import Wire

@Suite struct ICYTitlePatternTests {
  static let iHeart = #"{artist} - text="{title}"{*}amgArtworkURL="{artwork}"{*}"#

  @Test(
    arguments: [
      ("{artist} - {title}", "Nina Simone - Sinnerman", "Nina Simone", "Sinnerman", nil),
      ("{artist} - {title}", "A - B - C", "A", "B - C", nil),
      ("{title} by {artist}", "Sinnerman by Nina Simone", "Nina Simone", "Sinnerman", nil),
      ("{title} / {artist} [{*}]", "B / A [1965]", "A", "B", nil),
      ("Now: {title}", "Now: News", nil, "News", nil),
      ("{title}", " Only ", nil, "Only", nil),
      ("{artist}~{title}~{*}", "ABBA~Waterloo~~~~~2020-08-13T10:00:00", "ABBA", "Waterloo", nil),
      ("{artist}~{title}~{*}", "~Waterloo~~~~", nil, "Waterloo", nil),
      ("{artist} – {title}", "Björk – Jóga", "Björk", "Jóga", nil),
      (
        iHeart,
        #"Adele - text="Hello; it's me" song_spot="M" amgArtworkURL="http://x/a.jpg" length="1""#,
        "Adele", #"Hello; it's me"#, "http://x/a.jpg"
      ),
      (iHeart, #"Adele - text="Hello" amgArtworkURL="" x="1""#, "Adele", "Hello", nil),
    ] as [(String, String, String?, String, String?)])
  func `a title of the pattern's shape is taken apart`(
    pattern: String, text: String, artist: String?, title: String, artwork: String?
  ) throws {
    let parts = try TitlePattern(pattern).parts(of: text)
    #expect(parts == TitleParts(artist: artist, title: title, artwork: artwork))
  }

  @Test(arguments: [
    ("{artist} - {title}", "No dash here"), ("{artist} - {title}", ""),
    ("{artist} - {title}", "Artist - "), ("Now: {title}", "Then: News"),
    ("{title} [{*}]", "Song [1965"), ("{title}!", "!"), (" - {title}", "-"),
  ])
  func `a title of another shape is left whole`(pattern: String, text: String) throws {
    #expect(try TitlePattern(pattern).parts(of: text) == nil)
  }

  @Test(
    arguments: [
      ("", "has no {title}"), ("{artist}", "has no {title}"), ("{title", "has a { without a }"),
      ("{name} - {title}", "has {name}, which is unknown"), ("{title}{artist}", "side by side"),
      ("{title} {title}", "has {title} twice"), (String(repeating: "x", count: 257), "257 bytes"),
    ])
  func `a pattern that cannot work says why`(pattern: String, problem: String) {
    let error = #expect(throws: TitlePatternProblem.self) { try TitlePattern(pattern) }
    #expect(error?.description.contains(problem) == true)
  }

  @Test func `random titles never give a pattern's part without text`() throws {
    let patterns = try ["{artist} - {title}", Self.iHeart, "{artist}~{title}~{*}"].map {
      try TitlePattern($0)
    }
    let alphabet = Array(#"ab- ~é日text="{}amgArtworkURL="'"#)
    var random = SplitMix(seed: 4711)
    for _ in 0..<5000 {
      let count = Int(random.next() % 60)
      let text = String(
        (0..<count).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] })
      for pattern in patterns {
        let parts = pattern.parts(of: text)
        #expect(
          parts?.title.isEmpty != true && parts?.artist?.isEmpty != true, "seed 4711: \(text)")
      }
    }
  }
}
