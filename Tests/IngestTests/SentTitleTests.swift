import Testing
import Wire

@testable import Ingest

@Suite struct SentTitleTests {
  private static var russian: TextReader { TextReader(.named(try! CharsetName("windows-1251"))) }

  private func read(
    _ text: String, _ charset: String, said: String?, _ reader: TextReader = russian
  ) -> String {
    SentTitle(.whole(encoded(text, charset)), charset: said).title(reader.text).text
  }

  @Test(arguments: [
    ("Łódź", "iso-8859-2", "ISO-8859-2"), ("あお", "shift_jis", "Shift_JIS"),
    ("Café", "latin1", "latin1"), ("Привет", "koi8-r", "KOI8-R"), ("Привет", "utf-8", "UTF-8"),
  ])
  func `the charset that the request names goes before the station's`(
    text: String, charset: String, said: String
  ) {
    #expect(read(text, charset, said: said) == text)
  }

  @Test(arguments: [nil, "", "klingon", "utf-8", "utf-16", "utf-8//IGNORE"])
  func `a request that names no known charset is read in the station's`(said: String?) {
    #expect(read("Привет", "windows-1251", said: said) == "Привет")
  }

  @Test func `a title in UTF-8 stays so, whatever charset the request names`() {
    #expect(read("Привет", "utf-8", said: "windows-1251") == "Привет")
    #expect(read("Привет", "utf-8", said: nil) == "Привет")
  }

  @Test func `artist, song and link are read alike`() {
    let sent = SentTitle(
      .parts(artist: encoded("Кино", "koi8-r"), title: encoded("Кукушка", "koi8-r")),
      url: Array("http://x/y".utf8), charset: "koi8-r")
    #expect(
      sent.title(Self.russian.text)
        == Title(
          text: "Кино - Кукушка", url: "http://x/y",
          parts: TitleParts(artist: "Кино", title: "Кукушка")))
  }
}
