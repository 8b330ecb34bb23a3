import TestSupport
import Testing

@testable import Wire

@Suite struct HLSPathTests {
  private static let key = PieceKey(life: 0x4f9a_2c71_b03d, seconds: 6)

  private static func name(_ part: PieceName.Part, _ ending: PieceName.Ending) -> PieceName {
    PieceName(key: key, part: part, ending: ending)!
  }

  /// A path behind `/hls/`, and what it asks for.
  private static let paths: [(String, HLSPath)] = [
    ("live.m3u8", .multivariant), ("main.m3u8", .media), ("clip.m3u8", .clip),
    (
      "4f9a2c71b03d-6a/15883.mp3",
      .piece(name(.piece(cell: 15_883, number: 0), .mp3), seal: nil)
    ),
    ("4f9a2c71b03d-6a/0-1.aac", .piece(name(.piece(cell: 0, number: 1), .aac), seal: nil)),
    (
      "4f9a2c71b03d-6a/999999999-999999.m4s",
      .piece(name(.piece(cell: 999_999_999, number: 999_999), .m4s), seal: nil)
    ),
    ("4f9a2c71b03d-6a/init-0.mp4", .piece(name(.initialisation(0), .mp4), seal: nil)),
    (
      "4f9a2c71b03d-6a/init-2147483647.mp4",
      .piece(name(.initialisation(2_147_483_647), .mp4), seal: nil)
    ),
    ("4f9a2c71b03d-6a/p0-417.mp3", .piece(name(.span(0..<417), .mp3), seal: nil)),
    (
      "4f9a2c71b03d-6a/p4611686018427387902-4611686018427387903.m4s",
      .piece(name(.span(4_611_686_018_427_387_902..<4_611_686_018_427_387_903), .m4s), seal: nil)
    ),
    (
      "s6a5f0c80-00000000000000ff/4f9a2c71b03d-6a/7.mp3",
      .piece(
        name(.piece(cell: 7, number: 0), .mp3),
        seal: HLSPath.Seal(expiry: 0x6a5f_0c80, code: 255))
    ),
  ]

  @Test func `names are read, and written as they were`() {
    for (path, expected) in Self.paths {
      #expect(HLSPath(path.utf8) == expected, "\(path)")
      guard case .piece(let name, let seal) = expected else { continue }
      #expect((seal?.text ?? "") + name.text == path)
    }
    #expect(Self.key.text == "4f9a2c71b03d-6a")
    #expect(PieceKey(life: .max, seconds: 99).text == "ffffffffffff-10a")
    #expect(PieceKey(life: 0, seconds: 0).text == "000000000000-2a")
  }

  /// What strangers ask for, and what has a second spelling.
  private static let refused = [
    "", "/", "live.m3u8/", "Live.m3u8", "main.m3u", "main.m3u8?", "hls/main.m3u8", "..", "%2e%2e",
    "4f9a2c71b03d-6a", "4f9a2c71b03d-6a/", "4f9a2c71b03d-6a/.mp3", "4f9a2c71b03d-6a/-1.mp3",
    "4f9a2c71b03d-6a/+1.mp3", "4f9a2c71b03d-6a/1e3.mp3", "4f9a2c71b03d-6a/0x1.mp3",
    "4f9a2c71b03d-6a/18446744073709551616.mp3", "4f9a2c71b03d-6a/1000000000.mp3",
    "4f9a2c71b03d-6a/99999999999999999999999999999999.mp3", "4f9a2c71b03d-6a/007.mp3",
    "4f9a2c71b03d-6a/7-0.mp3", "4f9a2c71b03d-6a/7-01.mp3", "4f9a2c71b03d-6a/7-.mp3",
    "4f9a2c71b03d-6a/7-1000000.mp3", "4f9a2c71b03d-6a/7-1-1.mp3", "4f9a2c71b03d-6a/7.MP3",
    "4f9a2c71b03d-6a/7.mp4", "4f9a2c71b03d-6a/7.ts", "4f9a2c71b03d-6a/7", "4f9a2c71b03d-6a/7.",
    "4f9a2c71b03d-6a/7.mp3 ", "4f9a2c71b03d-6a/7.mp3/", "4f9a2c71b03d-6a//7.mp3",
    "4f9a2c71b03d-6a/%37.mp3", "4f9a2c71b03d-6a/٧.mp3", "4f9a2c71b03d-6a/7.mp3\u{0}",
    "4f9a2c71b03d-6a/init.mp4", "4f9a2c71b03d-6a/init-1.m4s", "4f9a2c71b03d-6a/init--1.mp4",
    "4f9a2c71b03d-6a/init-2147483648.mp4", "4f9a2c71b03d-6a/init-01.mp4",
    "4f9a2c71b03d-6a/p5-3.mp3", "4f9a2c71b03d-6a/p5-5.mp3", "4f9a2c71b03d-6a/p5.mp3",
    "4f9a2c71b03d-6a/p-5.mp3", "4f9a2c71b03d-6a/p05-6.mp3", "4f9a2c71b03d-6a/p0-1.mp4",
    "4f9a2c71b03d-6a/p0-4611686018427387904.mp3", "4f9a2c71b03d-6a/p0-9223372036854775808.mp3",
    "4F9A2C71B03D-6a/7.mp3", "4f9a2c71b03D-6a/7.mp3", "4f9a2c71b03d-6A/7.mp3",
    "4f9a2c71b03-6a/7.mp3", "4f9a2c71b03d0-6a/7.mp3", "4g9a2c71b03d-6a/7.mp3",
    "4f9a2c71b03d-1a/7.mp3", "4f9a2c71b03d-11a/7.mp3", "4f9a2c71b03d-06a/7.mp3",
    "4f9a2c71b03d-6/7.mp3", "4f9a2c71b03d-6aa/7.mp3", "4f9a2c71b03d-a/7.mp3",
    "4f9a2c71b03d6a/7.mp3", "s/4f9a2c71b03d-6a/7.mp3", "s1-0/4f9a2c71b03d-6a/7.mp3",
    "s6a5f0c80-00000000000000ff/", "s6a5f0c80-00000000000000ff/live.m3u8",
    "s06a5f0c80-00000000000000ff/4f9a2c71b03d-6a/7.mp3",
    "s6A5f0c80-00000000000000ff/4f9a2c71b03d-6a/7.mp3",
    "s6a5f0c80-00000000000000FF/4f9a2c71b03d-6a/7.mp3",
    "s6a5f0c80-00000000000000ff0/4f9a2c71b03d-6a/7.mp3",
    "s0-00000000000000ff/4f9a2c71b03d-6a/7.mp3",
    "sffffffffff-00000000000000ff/4f9a2c71b03d-6a/7.mp3",
    "sffffffffffffffffffff-00000000000000ff/4f9a2c71b03d-6a/7.mp3",
    "s1-00000000000000ff/s1-00000000000000ff/4f9a2c71b03d-6a/7.mp3",
  ]

  @Test func `what is no name, or another spelling of one, is refused`() {
    for path in Self.refused { #expect(HLSPath(path.utf8) == nil, "\(path)") }
    #expect(HLSPath([UInt8](repeating: 0xFF, count: 100)) == nil)
    #expect(HLSPath([UInt8](repeating: UInt8(ascii: "9"), count: 1 << 20)) == nil)
  }

  @Test func `every path that is read has one spelling`() {
    let seed = UInt64.random(in: 1 ... .max)
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    for _ in 0..<20_000 {
      let path = random.mutated(Array(Self.paths.randomElement(using: &random)!.0.utf8))
      guard case .piece(let name, let seal) = HLSPath(path) else { continue }
      #expect(Array(((seal?.text ?? "") + name.text).utf8) == path)
    }
  }

  @Test func `a name that could not be read again is not made`() {
    let made: [(PieceName.Part, PieceName.Ending)] = [
      (.piece(cell: 1_000_000_000, number: 0), .mp3), (.piece(cell: 0, number: 1_000_000), .mp3),
      (.piece(cell: 0, number: 0), .mp4), (.span(5..<5), .mp3), (.span(0..<1 << 62), .mp3),
      (.initialisation(1 << 31), .mp4), (.initialisation(0), .m4s),
    ]
    for (part, ending) in made {
      #expect(PieceName(key: Self.key, part: part, ending: ending) == nil, "\(part)")
    }
  }

  @Test func `codecs have the endings and types that players know`() {
    let endings: [Codec: PieceName.Ending] = [.mp3: .mp3, .aac: .aac, .opus: .m4s, .flac: .m4s]
    for codec in Codec.allCases { #expect(PieceName.Ending(codec) == endings[codec]) }
    #expect(
      PieceName.Ending.allCases.map(\.mediaType) == [
        "audio/mpeg", "audio/aac", "audio/mp4", "audio/mp4",
      ])
  }

  // MARK: Directives

  /// A query, and what it wants; nil: the key in the refusal.
  private static let queries: [(String, HLSDirectives)] = [
    ("", HLSDirectives()), ("_HLS_msn=0", HLSDirectives(number: 0)),
    ("_HLS_msn=216481204&_HLS_skip=YES", HLSDirectives(number: 216_481_204, skip: .segments)),
    ("_HLS_skip=v2", HLSDirectives(skip: .segmentsAndTitles)),
    ("_HLS_msn=18446744073709551616", HLSDirectives(number: .max)),
    ("_HLS_msn=%37&offset=5m&_HLS_report=x", HLSDirectives(number: 7)),
    ("_hls_msn=x", HLSDirectives()),
  ]

  @Test func `directives are read`() throws {
    for (query, expected) in Self.queries {
      #expect(try HLSDirectives(HTTPQuery(raw: query)) == expected, "\(query)")
    }
  }

  @Test(
    arguments: [
      ("_HLS_msn=-1", "_HLS_msn: \"-1\" is no number of a segment"),
      ("_HLS_msn=1e3", "_HLS_msn: \"1e3\" is no number of a segment"),
      ("_HLS_msn=", "_HLS_msn: \"\" is no number of a segment"),
      ("_HLS_msn", "_HLS_msn: \"\" is no number of a segment"),
      ("_HLS_msn=٧", "_HLS_msn: \"٧\" is no number of a segment"),
      ("_HLS_msn=%2e%2e", "_HLS_msn: \"..\" is no number of a segment"),
      ("_HLS_msn=1&_HLS_msn=1", "_HLS_msn is given twice; give it once"),
      ("_HLS_skip=YES&_HLS_skip=v2", "_HLS_skip is given twice; give it once"),
      ("_HLS_skip=yes", "_HLS_skip: \"yes\" is not YES or v2"),
      ("_HLS_skip", "_HLS_skip: \"\" is not YES or v2"),
      ("_HLS_msn=1&_HLS_part=0", "_HLS_part: this playlist has whole segments only"),
    ])
  func `wrong directives are refused, naming the key`(query: String, message: String) {
    let refusal = #expect(throws: HLSDirectives.Refusal.self) {
      try HLSDirectives(HTTPQuery(raw: query))
    }
    #expect(refusal?.message == message)
    #expect(refusal.map { message.hasPrefix($0.key) } == true)
  }

  // MARK: CMCD

  @Test(
    arguments: [
      ("sid=\"6e2f\"", "6e2f"), ("br=128,sid=\"6e2f\",su", "6e2f"), ("su,bl=2, sid=\"a\"", "a"),
      ("cid=\"a,sid=b\",sid=\"c\"", "c"), ("cid=\"a\\\",sid=\\\"b\",sid=\"c\"", "c"),
      ("sid=\"a\\\\b\\\"c\"", "a\\b\"c"), ("sid=plain,br=1", "plain"), ("sid=\"a\",sid=\"b\"", "a"),
      ("sid=\"open", "open"), ("sid=\"\"", nil), ("sid", nil), ("sid=", nil), ("", nil),
      (",,,", nil),
      ("xsid=\"a\"", nil), ("SID=\"a\"", nil), ("cid=\"sid=x\"", nil), ("sid=\"a\\", "a\\"),
    ] as [(String, String?)])
  func `a player's session is found`(text: String, id: String?) {
    #expect(CMCD.session(in: text) == id)
  }

  @Test func `a session's id is bounded, and comes from the query before the field`() {
    let most = String(repeating: "x", count: 64)
    #expect(CMCD.session(in: "sid=\"\(most)\"") == most)
    #expect(CMCD.session(in: "sid=\"\(most)x\"") == nil)
    #expect(CMCD.session(in: String(repeating: ",", count: 5000) + "sid=\"a\"") == nil)
    let field = HTTPFields([("cmcd-session", "sid=\"field\",v=1")])
    let query = HTTPQuery(raw: "a=1&CMCD=br%3D128%2Csid%3D%22query%22")
    #expect(CMCD.session(query, field) == "query")
    #expect(CMCD.session(HTTPQuery(raw: "CMCD=br%3D1"), field) == "field")
    #expect(CMCD.session(HTTPQuery(), HTTPFields()) == nil)
  }
}
