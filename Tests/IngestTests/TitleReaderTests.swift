import TestSupport
import Testing
import Timeshift
import Wire

@testable import Ingest

@Suite struct TitleReaderTests {
  private func reader(_ patterns: String...) throws -> TitleReader {
    var settings = UpstreamSettings(urls: [])
    settings.titlePatterns = try patterns.map { try TitlePattern($0) }
    return TitleReader(settings)
  }

  struct Oddity: Sendable, CustomTestStringConvertible {
    var block: [UInt8]
    var text: String?
    var url = ""
    var extras: [ICYMetadata.Field] = []

    init(
      _ block: String, _ text: String?, _ url: String = "",
      _ extras: KeyValuePairs<String, String> = [:]
    ) {
      self.init(Array(block.utf8), text, url, extras)
    }

    init(
      _ block: [UInt8], _ text: String?, _ url: String = "",
      _ extras: KeyValuePairs<String, String> = [:]
    ) {
      self.block = block
      self.text = text
      self.url = url
      self.extras = extras.map { .init(key: $0.key, value: $0.value) }
    }

    var testDescription: String { String(decoding: block.prefix(60), as: UTF8.self) }
  }

  static let oddities: [Oddity] = [
    .init("StreamTitle='A - B';", "A - B"),
    .init("StreamUrl='http://x/a.jpg';StreamTitle='A - B';", "A - B", "http://x/a.jpg"),
    .init(
      "adw_ad='true';StreamTitle='Ad';durationMilliseconds='30000';StreamUrl='u';", "Ad", "u",
      ["adw_ad": "true", "durationMilliseconds": "30000"]),
    .init("StreamTitle='Don't Stop';StreamUrl='';", "Don't Stop"),
    .init("StreamTitle='A; B';", "A; B"), .init("StreamTitle='A';B';x='1';", "A", "", ["x": "1"]),
    .init("StreamTitle='';StreamUrl='';", ""), .init("StreamTitle='';", ""),
    .init("", nil), .init([0, 0, 0], nil), .init(";;;;", nil), .init("StreamTitle", nil),
    .init("StreamTitle='No end", "No end"), .init("StreamTitle='No semicolon'", "No semicolon"),
    .init("StreamTitle=bare;", "bare"), .init("StreamTitle=\"double\";", "double"),
    .init("STREAMTITLE='Loud';streamurl='u';", "Loud", "u"),
    .init("StreamTitle='A\r\nSet-Cookie: x\n\ndata: y';", "A  Set-Cookie: x  data: y"),
    .init("StreamTitle='A\u{7F}\u{85}\u{1B}B';", "AB"),
    .init(Array("StreamTitle='Caf".utf8) + [0xE9] + Array("';".utf8), "Café"),
    .init(Array("StreamTitle='Caf".utf8) + [0xC3, 0xA9, 0x20, 0xC3], "Café "),
    .init(
      Array("StreamTitle='\(String(repeating: "x", count: 4065))';".utf8),
      String(repeating: "x", count: 4065)),
    .init("x='1';", "before", "before-url", ["x": "1"]),
    .init("StreamTitle='A';StreamUrl='javascript:alert(1)';", "A"),
    .init("StreamTitle='A';StreamUrl='&artist=A:B';", "A", "&artist=A:B"),
    .init("StreamUrl='u';", "before", "u"), .init([0xFF, 0xFE, 0x3D, 0x80, 0x3B], nil),
    .init(
      #"StreamTitle='Adele - text="Hello" song_spot="M"';"#, #"Adele - text="Hello" song_spot="M""#),
  ]

  @Test(arguments: oddities) func `an ICY block found in the wild is read as players read it`(
    oddity: Oddity
  ) throws {
    let before = Title(text: "before", url: "before-url")
    let title = try reader().title(in: oddity.block, after: before)
    #expect(title == oddity.text.map { Title(text: $0, url: oddity.url, extras: oddity.extras) })
  }

  @Test func `an upstream that sends such blocks has its titles in the log, each once`()
    async throws
  {
    let before = "StreamTitle='before';StreamUrl='before-url';"
    var titles = [FakeProgramme.TitleChange(packet: 0, before)]
    var expected = [Title(text: "before", url: "before-url")]
    for oddity in Self.oddities {
      let packet = titles.count * 10
      titles.append(.init(packet: packet, bytes: oddity.block))
      titles.append(.init(packet: packet + 10, before))
      guard let text = oddity.text else { continue }
      expected.append(Title(text: text, url: oddity.url, extras: oddity.extras))
      expected.append(expected[0])
    }
    titles.append(.init(packet: titles.count * 10, "StreamTitle='the end';"))
    expected.append(Title(text: "the end"))
    let upstream = try FakeUpstream(.numbered(titles: titles))
    defer { upstream.stop() }
    var stream = FakeStream()
    stream.unpacedFrom = 0
    stream.hasRawBlocks = true
    stream.metaint = 400
    upstream.reply("/live", with: .stream(stream))
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await station.wait { $0.titles.last?.title == "the end" })
    _ = await station.finish()
    #expect(station.log.titles(limit: 999).reversed().map(\.title) == expected)
  }

  @Test(arguments: oddities) func `cut anywhere, what is read goes out as one whole block`(
    oddity: Oddity
  ) throws {
    let reader = try reader()
    for end in 0...oddity.block.count {
      guard let title = reader.title(in: Array(oddity.block[..<end]), after: Title(text: "")) else {
        continue
      }
      let block = ICYBlock.bytes(for: title)
      let text = block.dropFirst().prefix { $0 != 0 }
      #expect(block.count == 1 + 16 * Int(block[0]) && text.allSatisfy { $0 >= 0x20 })
      #expect(text.starts(with: Array("StreamTitle='".utf8)))
    }
  }

  @Test func `the first pattern that fits takes the title apart, and the text stays as it came`()
    throws
  {
    let reader = try reader("{title} by {artist}", "{artist}~{title}~{*}")
    func parts(_ text: String) -> TitleParts? {
      let title = reader.title(in: Array("StreamTitle='\(text)';".utf8), after: Title(text: ""))
      #expect(title?.text == text)
      return title?.parts
    }
    #expect(parts("Waterloo by ABBA") == TitleParts(artist: "ABBA", title: "Waterloo"))
    #expect(parts("ABBA~Waterloo~~~~") == TitleParts(artist: "ABBA", title: "Waterloo"))
    #expect(parts("ABBA - Waterloo") == nil)
  }

  @Test func `mutated blocks never give a title that could break a line`() throws {
    let reader = try reader("{artist} - {title}")
    var random = SplitMix(seed: 31)
    for _ in 0..<3000 {
      var block = Self.oddities[Int(random.next() % UInt64(Self.oddities.count))].block
      for _ in 0..<3 where !block.isEmpty {
        block[Int(random.next() % UInt64(block.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      guard let title = reader.title(in: block, after: Title(text: "")) else { continue }
      let texts = [title.text, title.url] + title.extras.flatMap { [$0.key, $0.value] }
      let isClean = texts.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } }
      #expect(isClean, "seed 31: \(block)")
    }
  }
}
