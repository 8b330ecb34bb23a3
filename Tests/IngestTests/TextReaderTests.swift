import Glibc
import TestSupport
import Testing
import Wire

@testable import Ingest

/// A text in some charset, made by iconv the other way round.
func encoded(_ text: String, _ charset: String) -> [UInt8] {
  let handle = iconv_open(charset, "UTF-8")!
  defer { iconv_close(handle) }
  var input = Array(text.utf8)
  var output = [UInt8](repeating: 0, count: input.count * 4)
  let room = output.count
  let free = input.withUnsafeMutableBytes { source in
    output.withUnsafeMutableBytes { target in
      var from = source.bindMemory(to: CChar.self).baseAddress
      var to = target.bindMemory(to: CChar.self).baseAddress
      var (left, free) = (source.count, room)
      precondition(iconv(handle, &from, &left, &to, &free) != -1, "\(text) is not \(charset)")
      return free
    }
  }
  return Array(output[..<(room - free)])
}

@Suite struct TextReaderTests {
  @Test(arguments: ["latin1", "windows-1252"], french + ["Sigur Rós – Hoppípolla", "Björk €"])
  func `titles encoded twice are read back where that is said`(charset: String, title: String) {
    // Latin-1 has all 256 bytes, and so has windows-1252 as broadcasters' programs read it.
    let read = Array(title.utf8).map { byte -> String in
      charset == "latin1"
        ? String(Unicode.Scalar(byte)) : Charset.windows1252.decodeInvalid([byte])
    }
    let twice = Array(read.joined().utf8)
    #expect(TextReader(.twice).text(twice) == title)
    #expect(TextReader(.twice).text(Array(title.utf8)) == title)
    #expect(TextReader(.auto).text(twice) != title)
    // Cut by a server in mid-character.
    #expect(title.hasPrefix(TextReader(.twice).text(twice.dropLast())))
  }

  @Test func `titles encoded once are read as with auto where double encoding is said`() {
    let reader = TextReader(.twice)
    #expect(reader.text([0x43, 0x61, 0x66, 0xE9]) == "Café")
    #expect(reader.text(Array("АРИЯ - Ã©".utf8)) == "АРИЯ - Ã©")
    #expect(reader.text(Array("Café".utf8)) == "Café" && reader.text([]) == "")
  }

  static let russian = [
    "Кино - Группа крови", "АРИЯ - Улица роз", "Земфира - Хочешь?", "ДДТ - Что такое осень",
  ]
  static let japanese = [
    "宇多田ヒカル - First Love", "サザンオールスターズ - いとしのエリー", "YMO - ライディーン", "米津玄師 - レモン",
  ]
  static let chinese = ["邓丽君 - 月亮代表我的心", "周杰伦 - 青花瓷", "王菲 - 红豆", "张学友 - 吻别"]
  static let korean = ["아이유 - 좋은 날", "방탄소년단 - 봄날", "빅뱅 - 거짓말", "조용필 - 단발머리"]
  static let french = [
    "Édith Piaf - Non, je ne regrette rien", "Hélène Ségara - Élle", "Mylène Farmer - XXL",
  ]
  static let polish = [
    "Myslovitz - Długość dźwięku samotności", "Kult - Żądza pieniądza", "Perfect - Świat",
  ]
  static let greek = [
    "Γιώργος Νταλάρας - Μη μου θυμώνεις", "Χάρις Αλεξίου - Οι φίλοι μου", "Άλκηστις - Έλα",
  ]

  @Test(
    arguments: [
      ("windows-1251", russian), ("koi8-r", russian), ("shift_jis", japanese), ("euc-jp", japanese),
      ("gbk", chinese), ("gb18030", chinese), ("euc-kr", korean), ("windows-1252", french),
      ("iso-8859-2", polish), ("windows-1250", polish), ("windows-1253", greek), ("latin1", french),
    ])
  func `a named charset is read`(charset: String, titles: [String]) throws {
    let reader = TextReader(.named(try CharsetName(charset)))
    for title in titles {
      #expect(reader.text(encoded(title, charset)) == title)
      // Some of their titles are UTF-8 all the same.
      #expect(reader.text(Array(title.utf8)) == title)
    }
  }

  @Test(
    arguments: [
      ("windows-1251", russian, "windows-1251 shift_jis"),
      ("shift_jis", japanese, "windows-1251 shift_jis"),
      ("windows-1251", russian, "koi8-r windows-1251"), ("koi8-r", russian, "windows-1251 koi8-r"),
      ("windows-1251", russian, "windows-1252 windows-1251"),
      ("windows-1252", french, "windows-1251 windows-1252"),
      ("shift_jis", japanese, "euc-jp shift_jis"), ("euc-jp", japanese, "shift_jis euc-jp"),
      ("gbk", chinese, "euc-kr gbk"), ("euc-kr", korean, "gbk euc-kr"),
      ("gbk", chinese, "shift_jis gbk windows-1252"),
      ("windows-1252", french, "shift_jis windows-1252"),
      ("windows-1253", greek, "windows-1251 windows-1253"),
      ("windows-1251", russian, "windows-1253 windows-1251"),
      ("windows-1251", russian, "gbk windows-1251"),
      ("windows-1251", russian, "iso-8859-5 windows-1251"),
    ])
  func `detection finds the charset among the listed ones, in whatever order`(
    charset: String, titles: [String], candidates: String
  ) throws {
    let names = try candidates.split(separator: " ").map { try CharsetName(String($0)) }
    for listed in [names, names.reversed()] {
      let reader = TextReader(.detect(listed))
      for title in titles { _ = reader.text(encoded(title, charset)) }
      for title in titles { #expect(reader.text(encoded(title, charset)) == title, "\(listed)") }
    }
  }

  @Test func `one odd title does not turn the charset that the last ones have shown`() throws {
    let candidates = try [CharsetName("windows-1252"), CharsetName("windows-1251")]
    let reader = TextReader(.detect(candidates))
    for title in Self.french { _ = reader.text(encoded(title, "windows-1252")) }
    // "Ää" is "Дд" in the other one, and looks better there.
    #expect(reader.text([0xC4, 0xE4]) == "Ää")
    #expect(TextReader(.detect(candidates)).text([0xC4, 0xE4]) == "Дд")
  }

  @Test(
    arguments: [
      ("auto", [0x43, 0x61, 0x66, 0xE9], "Café"), ("auto", [0x80, 0x95, 0x9F], "€•Ÿ"),
      ("auto", [0x41, 0x81, 0x42], "AB"), ("utf-8", [0x41, 0xFF, 0x42], "A\u{FFFD}B"),
      ("shift_jis", [0x41, 0x83, 0x41, 0x83], "Aア"),
      ("gbk", [0xC4, 0xE3, 0xFF, 0x41], "你\u{FFFD}A"),
      ("windows-1251", [0xCF, 0x0D, 0x0A, 0x00, 0xCF], "П  П"),
      ("koi8-r", [0x0D, 0x0A, 0xC1], "  а"), ("auto", Array("a\u{2028}b\u{85}c".utf8), "a bc"),
    ] as [(String, [UInt8], String)])
  func `bytes that mean nothing, cut characters and controls do no harm`(
    charset: String, bytes: [UInt8], text: String
  ) throws {
    let reader = TextReader(charset == "auto" ? .auto : .named(try CharsetName(charset)))
    #expect(reader.text(bytes) == text)
  }

  @Test(arguments: [
    "klingon", "", "utf-16", "UTF-32LE", "iso-2022-jp", "us-ascii", "ebcdic-us",
    "utf8//IGNORE", "a\u{0}b", String(repeating: "x", count: 99),
  ])
  func `a name that is no charset for titles is refused, and told`(name: String) {
    let error = #expect(throws: UnknownCharset.self) { try CharsetName(name) }
    #expect(error?.name == name.lowercased())
  }

  @Test(arguments: CharsetName.common) func `the common charsets are known`(name: String) throws {
    #expect(try CharsetName(name.uppercased()).name == name)
  }

  @Test func `random bytes are read as text without control characters`() throws {
    let names = try ["shift_jis", "gbk", "koi8-r"].map { try CharsetName($0) }
    let readers =
      [TextReader(.auto), TextReader(.detect(names))] + names.map { TextReader(.named($0)) }
    var random = SplitMix(seed: 99)
    for _ in 0..<500 {
      let bytes = (0..<Int(random.next() % 80)).map { _ in UInt8(truncatingIfNeeded: random.next())
      }
      for reader in readers {
        let isClean = reader.text(bytes).unicodeScalars.allSatisfy {
          $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
        }
        #expect(isClean, "seed 99: \(bytes)")
      }
    }
  }

  @Test(arguments: [
    "windows-1251", "CP1251", "x-cp1250", "iso-8859-2", "ISO8859-15", "Latin1", "shift-jis", "sjis",
    "gb2312", "Big5", "EUC-KR", "ks_c_5601-1987", "koi8-r", "KOI8-U", "tis-620", "cp866", "utf8",
  ])
  func `pages are read in the charsets that pages are written in`(name: String) {
    #expect(CharsetName(known: name) != nil)
  }

  @Test(arguments: [
    "", "klingon", "utf-16", "ucs-4", "utf-7", "ibm037", "ebcdic-us", "iso-2022-jp", "iso-2022-kr",
    "unicode", "java", "mac-is", "hp-roman8", "armscii-8", "utf-8//translit", "../../x", "char",
    "windows-1251//ignore", "a\u{0}b", String(repeating: "x", count: 5000), "iso-8859-12",
  ])
  func `a stranger's other names are not asked of the system`(name: String) {
    #expect(CharsetName(known: name) == nil)
  }
}
