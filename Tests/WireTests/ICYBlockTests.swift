import TestSupport
import Testing

@testable import Wire

struct ICYBlockTests {
  private func text(_ block: [UInt8]) -> String {
    String(decoding: block.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
  }

  private func roundTrip(_ title: Title) -> Title? {
    let block = ICYBlock.bytes(for: title)
    #expect(block.count == 1 + Int(block[0]) * 16)
    #expect(block.count <= 4081)
    return ICYBlock.parse(Array(block.dropFirst())).map {
      Title(text: $0.title ?? "", url: $0.url ?? "")
    }
  }

  // MARK: Writing

  @Test func `a block begins with the title and is padded to sixteens`() {
    let block = ICYBlock.bytes(for: Title(text: "Artist - Song", url: "http://example.org/a.jpg"))
    #expect(text(block) == "StreamTitle='Artist - Song';StreamUrl='http://example.org/a.jpg';")
    #expect(block[0] == 5)
    #expect(block.count == 81)
  }

  @Test func `an empty title is a block of seventeen bytes`() {
    let block = ICYBlock.bytes(for: Title(text: ""))
    #expect(block.count == 17 && block[0] == 1)
    #expect(text(block) == "StreamTitle='';")
  }

  @Test func `sixteen bytes of text need no padding`() {
    #expect(ICYBlock.bytes(for: Title(text: "a")) == [1] + Array("StreamTitle='a';".utf8))
  }

  @Test func `apostrophes stay, and what would end the value does not`() {
    let block = ICYBlock.bytes(for: Title(text: "Rock 'n'; Roll'", url: "http://x/';"))
    #expect(text(block) == "StreamTitle='Rock 'n’; Roll'';StreamUrl='http://x/%27;';")
  }

  @Test func `control characters become spaces`() {
    let block = ICYBlock.bytes(for: Title(text: "a\r\nb\u{0}c\u{85}d", url: "x\u{7F}y"))
    #expect(text(block) == "StreamTitle='a  b c d';StreamUrl='x y';")
  }

  @Test func `a long title is cut between two characters`() throws {
    for lead in 0..<4 {
      let title = String(repeating: "x", count: lead) + String(repeating: "😀", count: 1500)
      let block = ICYBlock.bytes(for: Title(text: title))
      #expect(block.count <= 4081)
      let parsed = try #require(ICYBlock.parse(Array(block.dropFirst()))?.title)
      #expect(title.hasPrefix(parsed))
      #expect((3797...3800).contains(parsed.utf8.count))
    }
  }

  @Test func `an address that does not fit is left out whole`() {
    let long = Title(
      text: String(repeating: "x", count: 4000), url: String(repeating: "u", count: 253))
    #expect(roundTrip(long)?.url == "")
    let fitting = Title(
      text: String(repeating: "x", count: 3800), url: String(repeating: "u", count: 252))
    #expect(roundTrip(fitting) == fitting)
    #expect(ICYBlock.bytes(for: fitting).count == 4081)
  }

  @Test func `a block has no more fields than are read again`() {
    let extras = (0..<32).map { ICYMetadata.Field(key: "k\($0)", value: "v") }
    let block = ICYBlock.bytes(for: Title(text: "A", url: "u", extras: extras))
    let read = ICYBlock.parse(Array(block.dropFirst()))
    #expect(read?.title == "A" && read?.url == "u" && read?.extras == Array(extras.prefix(30)))
    let again = Title(text: "A", url: "u", extras: read?.extras ?? [])
    #expect(ICYBlock.bytes(for: again) == block)
  }

  @Test func `extras stand behind title and address and are left out where there is no room`() {
    var title = Title(text: "A", url: "u", extras: [.init(key: "adw_ad", value: "it's'; true")])
    #expect(
      text(ICYBlock.bytes(for: title)) == "StreamTitle='A';StreamUrl='u';adw_ad='it's’; true';")
    title.extras = [
      .init(key: "long", value: String(repeating: "x", count: 4060)), .init(key: "b", value: "2"),
    ]
    #expect(text(ICYBlock.bytes(for: title)) == "StreamTitle='A';StreamUrl='u';b='2';")
  }

  @Test func `titles and addresses for a second time are not passed on`() {
    let block = Array("StreamTitle='A';streamtitle='B';x='1';StreamUrl='u';STREAMURL='v';".utf8)
    #expect(ICYBlock.parse(block)?.extras == [.init(key: "x", value: "1")])
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `every title comes back as it went out`(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let alphabet = Array("ab ZÄéß’;';'=\"-–&<>日本語😀ы%/?#.,StreamUrl='")
    for _ in 0..<100 {
      let count = Int.random(in: 0...60, using: &random)
      var text = String((0..<count).map { _ in alphabet.randomElement(using: &random)! })
      // What is changed on the way out on purpose.
      while let range = text.firstRange(of: "';") { text.replaceSubrange(range, with: "; '") }
      let title = Title(text: text, url: Bool.random(using: &random) ? "http://x/?a='b" : "")
      #expect(roundTrip(title) == title)
    }
  }

  // MARK: Reading

  @Test(arguments: [
    ("StreamTitle='Artist - Song';StreamUrl='http://x/';", "Artist - Song", "http://x/"),
    ("StreamTitle='';", "", nil),
    ("StreamTitle='';StreamUrl='';", "", ""),
    ("StreamUrl='http://x/';StreamTitle='A';", "A", "http://x/"),
    ("streamtitle='A';STREAMURL='u';", "A", "u"),
    ("StreamTitle='Don't stop';", "Don't stop", nil),
    ("StreamTitle='A; B';StreamUrl='u';", "A; B", "u"),
    ("StreamTitle='A';b';StreamUrl='u';", "A", "u"),
    ("StreamTitle='Rockin'';", "Rockin'", nil),
    ("StreamTitle='A';StreamUrl='u'", "A", "u"),
    ("StreamTitle='A'", "A", nil),
    ("StreamTitle='A", "A", nil),
    ("StreamTitle='Don't", "Don", nil),
    ("StreamTitle='", "", nil),
    ("StreamTitle=", "", nil),
    ("StreamTitle=A - B;StreamUrl=u;", "A - B", "u"),
    ("StreamTitle=A - B", "A - B", nil),
    ("StreamTitle=\"A - B\";StreamUrl=\"u\";", "A - B", "u"),
    ("StreamTitle=\"A - B\"", "A - B", nil),
    ("StreamTitle=\"Heroes\" - Bowie;", "\"Heroes\" - Bowie", nil),
    (" StreamTitle = 'A' ;", "A", nil),
    (" StreamTitle = 'A'; StreamUrl = 'u'; ", "A", "u"),
    (";;StreamTitle='A';;StreamUrl='u';;", "A", "u"),
    ("noise;StreamTitle='A';", "A", nil),
    ("StreamTitle='A';\u{0}\u{0}StreamUrl='u';", "A", nil),
    ("StreamTitle='A &amp; B';", "A &amp; B", nil),
    ("StreamTitle='A=B';StreamUrl='&artist=x&title=y';", "A=B", "&artist=x&title=y"),
  ])
  func `blocks are read as they are found in the wild`(
    block: String, title: String?, url: String?
  ) {
    let metadata = ICYBlock.parse(Array(block.utf8))
    #expect(metadata?.title == title)
    #expect(metadata?.url == url)
  }

  @Test func `a network's list of values inside the title stays as it is`() {
    let title = #"Ad - text="Song" song_spot="M" MediaBaseId="0" amgArtworkURL="http://x/y.jpg""#
    let block = Array("StreamTitle='\(title)';StreamUrl='';".utf8)
    #expect(ICYBlock.parse(block)?.title == title)
  }

  @Test func `unknown keys of an ICY block are kept in their order`() {
    let block = "adw_ad='true';durationMilliseconds='30000';StreamTitle='A';StreamTitle='B';"
    let metadata = ICYBlock.parse(Array(block.utf8))
    #expect(metadata?.title == "A")
    #expect(
      metadata?.others == [
        .init(key: "adw_ad", value: "true"),
        .init(key: "durationMilliseconds", value: "30000"),
        .init(key: "StreamTitle", value: "B"),
      ])
    #expect(metadata?["ADW_AD"] == "true")
    #expect(metadata?["none"] == nil)
  }

  @Test(arguments: ["", "\u{0}", "garbage", ";;;", "='x';", "12='x';", "a b='x';", "日本='x';"])
  func `garbage is no ICY block`(block: String) {
    #expect(ICYBlock.parse(Array(block.utf8)) == nil)
  }

  @Test func `a block of 4080 bytes is read to its end`() {
    let long = String(repeating: "x", count: 4080 - 15)
    #expect(ICYBlock.parse(Array("StreamTitle='\(long)';".utf8))?.title == long)
    let unending = "StreamTitle='" + String(repeating: "';", count: 2033)
    #expect(ICYBlock.parse(Array(unending.utf8))?.title == "")
    let fields = String(repeating: "a=;", count: 1360)
    #expect(ICYBlock.parse(Array(fields.utf8))?.others.count == ICYBlock.fieldsMax)
  }

  @Test func `values are read in the charset asked for`() {
    let block = Array("StreamTitle='Caf".utf8) + [0xE9, 0x96] + Array("';".utf8)
    #expect(ICYBlock.parse(block)?.title == "Café–")
    #expect(ICYBlock.parse(block, charset: .latin1)?.title == "Café")
    #expect(ICYBlock.parse(block, charset: .utf8)?.title == "Caf\u{FFFD}")
  }

  @Test func `a block cut anywhere is read or refused`() {
    let block = Array("StreamTitle='Artist - Song';StreamUrl='http://x/';".utf8)
    for length in 0..<block.count {
      guard let metadata = ICYBlock.parse(Array(block[..<length])) else {
        #expect(length < "StreamTitle=".utf8.count)
        continue
      }
      #expect("Artist - Song".hasPrefix(metadata.title ?? ""), "cut at \(length)")
    }
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `random bytes never trap the ICY block reader`(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let block = Array("StreamTitle='Café';StreamUrl='http://x/';a=\"b\";c=d".utf8)
    for _ in 0..<300 {
      let bytes = random.mutated(block)
      if let metadata = ICYBlock.parse(bytes) {
        let texts = [metadata.title, metadata.url].compactMap(\.self)
        #expect(texts.allSatisfy { $0.unicodeScalars.allSatisfy { !$0.isControl } })
      }
      let noise = random.bytes(64)
      #expect(ICYBlock.parse(noise)?.title == nil)
    }
  }
}
