import TestSupport
import Testing
import Wire

@testable import Ingest

extension Oddity {
  /// A stream with these blocks; its titles are told as `texts`.
  private static func titled(
    _ id: String, _ upstream: String, _ relay: String, _ blocks: [[UInt8]], gives texts: String...,
    settings: @escaping @Sendable (inout UpstreamSettings) -> Void = { _ in }
  ) -> Oddity {
    let reply = FakeReply.raw(
      Odd.head(["ICY 200 OK", "content-type:audio/mpeg", "icy-metaint:1000"])
        + Odd.interleaved(blocks))
    return Oddity(
      id, upstream, relay, reply, settings: settings,
      expect: .frames(0..<24).and { station, _ in
        #expect(station.titles.map(\.title) == texts)
      })
  }

  private static func said(_ text: String) -> [UInt8] { Odd.block("StreamTitle='\(text)';") }

  static let titles: [Oddity] = [
    titled(
      "title", "announces two titles", "marks each at its packet",
      [said("A - B"), [0], said("C - D")], gives: "A - B", "C - D"),
    titled(
      "title-quotes", "writes apostrophes and quotes into a title, unescaped", "keeps them",
      [said("It's 'The' \"End\"")], gives: "It's 'The' \"End\""),
    titled(
      "title-semicolons", "writes semicolons and `key='x` into a title", "keeps them",
      [said("A; B; c='d")], gives: "A; B; c='d"),
    titled(
      "title-unclosed", "forgets the last quote", "reads up to the block's end",
      [Odd.block("StreamTitle='A - B")], gives: "A - B"),
    titled(
      "title-no-semicolon", "forgets the last semicolon", "reads up to the last quote",
      [Odd.block("StreamTitle='A - B'")], gives: "A - B"),
    titled(
      "title-bare", "writes no quotes", "reads up to the semicolon",
      [Odd.block("StreamTitle=A - B;StreamUrl=;")], gives: "A - B"),
    titled(
      "title-double", "writes double quotes", "reads what stands between them",
      [Odd.block("StreamTitle=\"A - B\";")], gives: "A - B"),
    titled(
      "title-case", "writes `streamtitle = 'A'`", "reads it",
      [Odd.block("streamtitle = 'A';")], gives: "A"),
    Oddity(
      "title-order", "puts other keys and StreamUrl before StreamTitle",
      "reads all; the other keys are passed on",
      Odd.shoutcast(Odd.block("adw_ad='true';StreamUrl='http://x/a.jpg';StreamTitle='A';id='7';")),
      expect: .titles("A").and(
        .title {
          $0.url == "http://x/a.jpg" && $0.extras.map(\.key) == ["adw_ad", "id"]
            && $0.extras.map(\.value) == ["true", "7"]
        })),
    Oddity(
      "title-url-only", "sends a block with StreamUrl only",
      "keeps the text and takes the new link",
      Odd.shoutcast(said("A"), Odd.block("StreamUrl='http://x/b.jpg';")),
      expect: .title { $0.text == "A" && $0.url == "http://x/b.jpg" }),
    titled(
      "title-empty", "announces an empty title", "says that nothing is announced",
      [said("A"), said("")], gives: "A", ""),
    titled(
      "title-again", "announces the same title every second", "tells it once",
      [said("A"), said("A"), said("A"), said("B")], gives: "A", "B"),
    titled(
      "title-twice", "names StreamTitle twice in a block", "the first one counts",
      [Odd.block("StreamTitle='A';StreamTitle='B';")], gives: "A"),
    titled(
      "title-entities", "writes HTML entities", "leaves them as they are",
      [said("Tom &amp; Jerry")], gives: "Tom &amp; Jerry"),
    titled(
      "title-iheart", "puts a list of keys into the title (`text=\"Song\" song_spot=\"M\"`)",
      "leaves it as it is without a `title-pattern`",
      [said("A - text=\"B\" song_spot=\"M\"")], gives: "A - text=\"B\" song_spot=\"M\""),
    Oddity(
      "title-pattern", "writes `ARTIST~Song~~~`",
      "takes it apart by the station's `title-pattern`",
      Odd.shoutcast(said("ABBA~SOS~~~")),
      settings: { $0.titlePatterns = [try! TitlePattern("{artist}~{title}~{*}")] },
      expect: .title { $0.parts?.artist == "ABBA" && $0.parts?.title == "SOS" }),
  ]

  private static func bytes(_ bytes: [UInt8]) -> [UInt8] {
    FakeStream.block(Array("StreamTitle='".utf8) + bytes + Array("';".utf8))
  }

  /// The 4,080 bytes of a full block, 13 and 2 of which are not the title's.
  private static let longest = String(repeating: "x", count: 4065)

  static let titleBytes: [Oddity] = [
    titled(
      "bytes-1252", "writes titles in windows-1252", "reads what is not UTF-8 as that",
      [bytes([0x93, 0x43, 0x61, 0x66, 0xE9, 0x94])], gives: "“Café”"),
    titled(
      "bytes-1251", "writes titles in windows-1251",
      "reads them in the station's `metadata-encoding`",
      [bytes([0xD0, 0xE0, 0xE4, 0xE8, 0xEE])], gives: "Радио",
      settings: { $0.encoding = .named(try! CharsetName("windows-1251")) }),
    titled(
      "bytes-bom", "writes UTF-8 with a byte order mark", "drops the mark",
      [bytes([0xEF, 0xBB, 0xBF] + Array("Café".utf8))], gives: "Café"),
    titled(
      "bytes-cut", "cuts its UTF-8 in mid-character", "drops the half character",
      [bytes(Array("Éé".utf8.dropLast()))], gives: "É"),
    titled(
      "bytes-4080", "fills a block to its 4,080 bytes", "reads it",
      [said(longest)], gives: longest),
    titled(
      "bytes-zeros", "sends a block of zeros", "passes over it",
      [said("A"), [3] + [UInt8](repeating: 0, count: 48)],
      gives: "A"),
    titled(
      "bytes-spaces", "pads with blanks in place of zeros", "reads it",
      [[2] + Array("StreamTitle='A';                ".utf8)], gives: "A"),
    titled(
      "bytes-tail", "leaves garbage behind the first zero", "passes over it",
      [[2] + Array("StreamTitle='A';\0Title='garbage'".utf8)], gives: "A"),
    titled(
      "bytes-garbage", "sends a block of random bytes", "passes over it",
      [[4] + (0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 200) }, said("A")], gives: "A"),
    titled(
      "bytes-controls", "writes CR LF and escapes into a title",
      "line ends become blanks, other controls are dropped",
      [said("A\r\nSet-Cookie: b\u{1B}[31m")], gives: "A  Set-Cookie: b[31m"),
    Oddity(
      "bytes-split", "sends a block that spans many reads", "waits for its end",
      Odd.pieces(
        Odd.head(["ICY 200 OK", "icy-metaint:1000"]) + Odd.interleaved([said("A - B")]), of: 7),
      expect: .frames(0..<24).and(.titles("A - B"))),
    Oddity(
      "phase-lost", "sends 5 bytes fewer than its metaint once",
      "after two blocks that are no text, connects anew and goes on where the audio was whole",
      .raw(
        Odd.head(["ICY 200 OK", "icy-metaint:1000"])
          + Odd.interleaved([said("A")], audio: Array(long.prefix(5000))).dropLast(5)
          + Odd.interleaved([], audio: Array(long.dropFirst(5000)))),
      Odd.shoutcast(said("A"), audio: long),
      expect: .event("http-error", "lost the places").and(.ends(with: long.suffix(5000))).and {
        station, _ in
        #expect(station.titles.map(\.title) == ["A"])
      }),
    Oddity(
      "phase-never", "announces a metaint and sends no blocks",
      "takes everything for audio as soon as the other reading has broken a frame",
      Odd.good("icy-metaint: 1000", body: long),
      expect: .ends(with: long.suffix(5000)).and { station, _ in
        #expect(station.titles.isEmpty)
      }),
    Oddity(
      "metaint-list", "says `icy-metaint: 1000, 1000`, two lines that a proxy has joined",
      "reads the first number",
      .raw(
        Odd.head(["HTTP/1.0 200 OK", "icy-metaint: 1000, 1000"]) + Odd.interleaved([said("A")])),
      expect: .frames(0..<24).and(.titles("A"))),
    Oddity(
      "metaint-missing", "sends title blocks and no `icy-metaint`",
      "finds the metaint by the places of `StreamTitle=`, reads the titles, and says so",
      .raw(Odd.head(["ICY 200 OK"]) + Odd.interleaved([said("A")], audio: long)),
      expect: .ends(with: long.suffix(5000)).and(.titles("A"))
        .and(.state(.playing, "every 1000 bytes without icy-metaint"))),
    garbled("garbage-blocks", "fills all its blocks with garbage", "leaves them out", [:]),
    garbled(
      "garbage-behind", "fills its blocks with garbage after a good title",
      "leaves them out: between them the audio is whole", [0: said("A")]),
  ]

  /// Blocks of garbage but for these.
  private static func garbled(
    _ id: String, _ upstream: String, _ relay: String, _ good: [Int: [UInt8]]
  ) -> Oddity {
    let blocks = (0..<160).map { place in good[place] ?? garbage(place) }
    return Oddity(
      id, upstream, relay,
      .raw(Odd.head(["ICY 200 OK", "icy-metaint:1000"]) + Odd.interleaved(blocks, audio: long)),
      expect: .frames(0..<400))
  }

  private static func garbage(_ place: Int) -> [UInt8] {
    let units = place % 7 + 1
    let text = (0..<units * 16).map { UInt8(truncatingIfNeeded: ($0 + place) * 37) }
    return [UInt8(units)] + text.map { $0 & 0x9F | 0x80 }.map { $0 & 1 == 0 ? $0 : 1 }
  }

  private static let long = NumberedFrames.stream(0..<400)
}
