import TestSupport
import Testing

@testable import Wire

@Suite struct HLSPlaylistTests {
  private static let key = PieceKey(life: 0x4f9a_2c71_b03d, seconds: 6)
  private static let flicks: Int64 = 705_600_000
  /// 2026-11-22T06:00:00Z in nanoseconds.
  private static let six: Int64 = 1_795_327_200_000_000_000

  private static func piece(
    _ cell: UInt64, _ number: UInt32 = 0, milliseconds: ClosedRange<Int64>, at date: Int64,
    _ ending: PieceName.Ending = .mp3, key: PieceKey = key, isDiscontinuous: Bool = false,
    isGap: Bool = false
  ) -> MediaPlaylist.Piece {
    let base = Int64(cell) * 6 * flicks
    return MediaPlaylist.Piece(
      name: PieceName(key: key, part: .piece(cell: cell, number: number), ending: ending)!,
      time: base + milliseconds.lowerBound * 705_600..<base + milliseconds.upperBound * 705_600,
      date: six + date * 1_000_000, isDiscontinuous: isDiscontinuous, isGap: isGap)
  }

  /// So many whole cells from the first on, one after the other.
  private static func cells(
    _ count: Int, from first: UInt64 = 100, ending: PieceName.Ending = .mp3
  ) -> [MediaPlaylist.Piece] {
    (0..<count).map {
      piece(
        first + UInt64($0), milliseconds: 0...6000,
        at: 6000 * Int64(first - 100) + 6000 * Int64($0),
        ending)
    }
  }

  private static func text(_ list: MediaPlaylist, _ extent: MediaPlaylist.Extent = .whole) -> String
  {
    String(decoding: list.text(extent), as: UTF8.self)
  }

  private static func lines(_ list: MediaPlaylist, _ extent: MediaPlaylist.Extent = .whole)
    -> [Substring]
  { text(list, extent).split(separator: "\n") }

  private func expectSound(_ text: [UInt8]) {
    let violations = PlaylistRules.violations(of: text)
    #expect(violations.isEmpty, "\(violations)")
  }

  // MARK: Media playlists

  @Test func `a playlist with a title and a gap is as written by hand`() {
    let list = MediaPlaylist(
      kind: .live(isSkippable: true), target: 6, number: 216_481_204, discontinuities: 3,
      pieces: [
        Self.piece(15_883, milliseconds: 0...3918, at: 0),
        Self.piece(15_883, 1, milliseconds: 3918...6000, at: 3918),
        Self.piece(15_884, milliseconds: 0...2377, at: 6000),
        Self.piece(15_884, 1, milliseconds: 2377...6000, at: 31_204),
      ],
      marks: [
        .init(
          id: 48_211_370, date: Self.six + 3_918_000_000, listed: Self.six,
          title: HLSTitle(title: "Song", artist: "Band"))
      ])
    let expected = """
      #EXTM3U
      #EXT-X-VERSION:9
      #EXT-X-TARGETDURATION:6
      #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=36.0,CAN-SKIP-DATERANGES=YES,HOLD-BACK=18.0
      #EXT-X-INDEPENDENT-SEGMENTS
      #EXT-X-MEDIA-SEQUENCE:216481204
      #EXT-X-DISCONTINUITY-SEQUENCE:3
      #EXT-X-DATERANGE:ID="t48211370",CLASS="title",START-DATE="2026-11-22T06:00:03.918Z",END-ON-NEXT=YES,X-TITLE="Song",X-ARTIST="Band"
      #EXT-X-PROGRAM-DATE-TIME:2026-11-22T06:00:00.000Z
      #EXTINF:3.91800,
      4f9a2c71b03d-6a/15883.mp3
      #EXTINF:2.08200,
      4f9a2c71b03d-6a/15883-1.mp3
      #EXTINF:2.37700,
      4f9a2c71b03d-6a/15884.mp3
      #EXT-X-PROGRAM-DATE-TIME:2026-11-22T06:00:31.204Z
      #EXTINF:3.62300,
      4f9a2c71b03d-6a/15884-1.mp3

      """
    #expect(Self.text(list) == expected)
    expectSound(list.text())
  }

  @Test func `a finished playlist of fragments has maps, gaps and an end`() {
    let later = PieceKey(life: 1, seconds: 6)
    let list = MediaPlaylist(
      kind: .finished, target: 6, number: 7, discontinuities: 4,
      pieces: [
        Self.piece(1, milliseconds: 0...6000, at: 0, .m4s, isDiscontinuous: true),
        Self.piece(2, milliseconds: 0...6000, at: 6000, .m4s, isGap: true),
        Self.piece(3, milliseconds: 0...6000, at: 12_000, .m4s, key: later),
        Self.piece(4, milliseconds: 0...6000, at: 18_000, .m4s, key: later, isDiscontinuous: true),
      ], start: 2_345 * 705_600,
      seal: HLSPath.Seal(expiry: 0x6a5f_0c80, code: 0x0123_4567_89ab_cdef))
    let expected = """
      #EXTM3U
      #EXT-X-VERSION:7
      #EXT-X-TARGETDURATION:6
      #EXT-X-INDEPENDENT-SEGMENTS
      #EXT-X-MEDIA-SEQUENCE:7
      #EXT-X-DISCONTINUITY-SEQUENCE:4
      #EXT-X-PLAYLIST-TYPE:VOD
      #EXT-X-START:TIME-OFFSET=2.345,PRECISE=YES
      #EXT-X-DISCONTINUITY
      #EXT-X-MAP:URI="s6a5f0c80-0123456789abcdef/4f9a2c71b03d-6a/init-5.mp4"
      #EXT-X-PROGRAM-DATE-TIME:2026-11-22T06:00:00.000Z
      #EXTINF:6.00000,
      s6a5f0c80-0123456789abcdef/4f9a2c71b03d-6a/1.m4s
      #EXT-X-GAP
      #EXTINF:6.00000,
      s6a5f0c80-0123456789abcdef/4f9a2c71b03d-6a/2.m4s
      #EXT-X-MAP:URI="s6a5f0c80-0123456789abcdef/000000000001-6a/init-5.mp4"
      #EXTINF:6.00000,
      s6a5f0c80-0123456789abcdef/000000000001-6a/3.m4s
      #EXT-X-DISCONTINUITY
      #EXT-X-MAP:URI="s6a5f0c80-0123456789abcdef/000000000001-6a/init-6.mp4"
      #EXTINF:6.00000,
      s6a5f0c80-0123456789abcdef/000000000001-6a/4.m4s
      #EXT-X-ENDLIST

      """
    #expect(Self.text(list) == expected)
    expectSound(list.text())
    var packed = list
    packed.pieces = Self.cells(2)
    #expect(Self.lines(packed)[1] == "#EXT-X-VERSION:6")
    expectSound(packed.text())
  }

  @Test func `a list of what is newer leaves out what is older than six targets`() {
    var pieces = Self.cells(10)
    pieces[1].isDiscontinuous = true
    let marks = [(1, 0, 0), (2, 30_000, 30_000), (3, 5000, 50_000)].map {
      (mark: (Int, Int64, Int64)) in
      MediaPlaylist.Mark(
        id: UInt64(mark.0), date: Self.six + mark.1 * 1_000_000,
        listed: Self.six + mark.2 * 1_000_000, title: HLSTitle(title: "\(mark.0)"))
    }
    let list = MediaPlaylist(
      kind: .live(isSkippable: true), target: 6, number: 50, discontinuities: 2, pieces: pieces,
      marks: marks, removed: [7, 8])
    let newer = Self.lines(list, .newer)
    #expect(newer[1] == "#EXT-X-VERSION:9")
    #expect(
      newer[5...7] == [
        "#EXT-X-MEDIA-SEQUENCE:50", "#EXT-X-DISCONTINUITY-SEQUENCE:2",
        "#EXT-X-SKIP:SKIPPED-SEGMENTS=4",
      ])
    #expect(newer.filter { $0.hasPrefix("#EXT-X-DATERANGE") }.count == 3)
    #expect(newer.filter { $0.hasSuffix(".mp3") }.first == "4f9a2c71b03d-6a/104.mp3")
    #expect(newer.contains("#EXT-X-PROGRAM-DATE-TIME:2026-11-22T06:00:24.000Z"))
    // Without titles that were listed before, though one that came late is older than they are.
    let both = Self.lines(list, .newerWithTitles)
    #expect(both[1] == "#EXT-X-VERSION:10")
    #expect(both[7] == "#EXT-X-SKIP:SKIPPED-SEGMENTS=4,RECENTLY-REMOVED-DATERANGES=\"t7\tt8\"")
    let ids = both.filter { $0.hasPrefix("#EXT-X-DATERANGE") }.map { $0.split(separator: "\"")[1] }
    #expect(ids == ["t2", "t3"])
    for extent in [MediaPlaylist.Extent.whole, .newer, .newerWithTitles] {
      expectSound(list.text(extent))
      var history = PlaylistHistory()
      var violations = history.add(list.text())
      violations += history.add(list.text(extent))
      #expect(violations.isEmpty, "\(violations)")
    }
  }

  @Test func `a list is whole where there is nothing to leave out, or where nothing may be`() {
    for count in [1, 5, 6] {
      let list = MediaPlaylist(
        kind: .live(isSkippable: true), target: 6, number: 1, discontinuities: 0,
        pieces: Self.cells(count))
      #expect(list.text(.newer) == list.text() && list.text(.newerWithTitles) == list.text())
    }
    let seven = MediaPlaylist(
      kind: .live(isSkippable: true), target: 6, number: 1, discontinuities: 0,
      pieces: Self.cells(7))
    #expect(Self.text(seven, .newer).contains("SKIPPED-SEGMENTS=1\n"))
    for kind in [MediaPlaylist.Kind.finished, .live(isSkippable: false)] {
      var list = seven
      list.kind = kind
      #expect(list.text(.newerWithTitles) == list.text())
      #expect(!Self.text(list).contains("CAN-SKIP"))
      expectSound(list.text())
    }
  }

  @Test func `an empty list is written, and has no segments`() {
    for extent in [MediaPlaylist.Extent.whole, .newer, .newerWithTitles] {
      let list = MediaPlaylist(
        kind: .live(isSkippable: true), target: 0, number: 0, discontinuities: 0, pieces: [])
      #expect(Self.text(list, extent).hasSuffix("#EXT-X-DISCONTINUITY-SEQUENCE:0\n"))
    }
  }

  /// The place in flicks, and the tag.
  @Test(
    arguments: [
      (-300 * 705_600_000, "-300.000"), (-1, "0.000"), (-352_801, "-0.001"), (0, "0.000"),
      (352_800, "0.001"), (352_799, "0.000"), (705_600_000, "1.000"),
    ] as [(Int64, String)])
  func `the place to begin is told in milliseconds`(start: Int64, text: String) {
    let list = MediaPlaylist(
      kind: .live(isSkippable: false), target: 6, number: 0, discontinuities: 0,
      pieces: Self.cells(60), start: start)
    #expect(Self.lines(list).contains("#EXT-X-START:TIME-OFFSET=\(text),PRECISE=YES"))
    expectSound(list.text())
  }

  @Test func `lengths add up however often a cell is cut`() {
    let seed = UInt64.random(in: 1 ... .max)
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    for _ in 0..<200 {
      let cuts = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        Int64.random(in: 1..<6 * Self.flicks, using: &random)
      }
      let borders = Set([0, 6 * Self.flicks] + cuts).sorted()
      let base = Int64.random(in: 0..<1 << 40, using: &random) * 6 * 7056
      let pieces = zip(borders, borders.dropFirst()).enumerated().map { index, ends in
        MediaPlaylist.Piece(
          name: PieceName(
            key: Self.key, part: .piece(cell: 1, number: UInt32(index)), ending: .mp3)!,
          time: base + ends.0..<base + ends.1, date: Self.six)
      }
      let list = MediaPlaylist(
        kind: .live(isSkippable: false), target: 6, number: 0, discontinuities: 0, pieces: pieces)
      #expect(ReadPlaylist(list.text()).length == 600_000)
    }
  }

  @Test func `a date is told where it is off by more than a millisecond from the one before`() {
    func dates(_ offsets: [Int64]) -> Int {
      var pieces = Self.cells(offsets.count)
      for index in pieces.indices { pieces[index].date += offsets[index] }
      let list = MediaPlaylist(
        kind: .live(isSkippable: false), target: 6, number: 0, discontinuities: 0, pieces: pieces)
      return Self.lines(list).filter { $0.hasPrefix("#EXT-X-PROGRAM") }.count
    }
    #expect(dates([0, 0, 0]) == 1)
    #expect(dates([0, 1_000_000, -1_000_000]) == 1)
    #expect(dates([0, 1_000_001, 1_000_001]) == 2)
    // What creeps is told as well.
    #expect(dates([0, 400_000, 800_000, 1_200_000, 1_600_000]) == 2)
    #expect(dates([0, -2_000_000, 0]) == 3)
  }

  @Test func `what a stranger puts into a title stays within its quotes`() {
    let seed = UInt64.random(in: 1 ... .max)
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    let parts = [
      "\"", "\r\n", "\n", "\0", "#EXT-X-ENDLIST", ",", "=", "é", "e\u{301}", "🎶", "שיר", "\u{202E}",
      "\u{2028}", "\u{85}", "\\", "{$x}", "x", "\u{FEFF}", "\t",
    ]
    for length in [0, 1, 3, 20, 4000] {
      for _ in 0..<40 {
        func text() -> String {
          (0..<length).map { _ in parts.randomElement(using: &random)! }.joined()
        }
        let title = HLSTitle(title: text(), artist: text(), url: text(), artwork: text())
        let list = MediaPlaylist(
          kind: .live(isSkippable: true), target: 6, number: 0, discontinuities: 0,
          pieces: Self.cells(3),
          marks: [.init(id: 1, date: Self.six, listed: 0, title: title)])
        expectSound(list.text())
        let read = ReadPlaylist(list.text())
        let told = try! #require(read.dateRanges.first)
        let shown = String(
          title.title.unicodeScalars.map { $0 == "\"" ? Character("'") : Character($0) })
        #expect(told["X-TITLE"].map { Array($0.utf8) } == Array(shown.utf8))
        #expect(read.segments.count == 3 && read.dateRanges.count == 1)
      }
    }
  }

  @Test func `a day's list is valid, and grows as a window moves`() {
    let all = Self.cells(14_500)
    let marks = stride(from: 0, to: 14_500, by: 40).map {
      MediaPlaylist.Mark(
        id: UInt64($0) * 96_000, date: all[$0].date, listed: all[$0].date + 6_000_000_000,
        title: HLSTitle(title: "Title \($0)", artist: "Artist"))
    }
    var history = PlaylistHistory()
    for shift in [0, 1, 3, 9] {
      let pieces = Array(all[shift..<shift + 14_400])
      let list = MediaPlaylist(
        kind: .live(isSkippable: true), target: 6, number: UInt64(1000 + shift), discontinuities: 0,
        pieces: pieces, marks: marks.filter { $0.listed <= pieces.last!.date + 6_000_000_000 })
      let extents: [MediaPlaylist.Extent] =
        shift == 0 ? [.whole] : [.newerWithTitles, .newer, .whole]
      for extent in extents {
        let text = list.text(extent)
        let violations = history.add(text)
        #expect(violations.isEmpty, "\(violations.prefix(3))")
        if extent == .newerWithTitles { #expect(text.count < 1500) }
      }
    }
  }

  @Test func `numbers at their ends do not end the process`() {
    let edges: [Int64] = [.min, -1, 0, 1, .max]
    for low in edges {
      for high in edges where low <= high {
        let piece = MediaPlaylist.Piece(
          name: PieceName(key: Self.key, part: .piece(cell: 0, number: 0), ending: .m4s)!,
          time: low..<high, date: low, isDiscontinuous: true)
        let list = MediaPlaylist(
          kind: .live(isSkippable: true), target: .max, number: .max, discontinuities: .max,
          pieces: [piece, piece, piece],
          marks: [.init(id: .max, date: high, listed: low, title: HLSTitle(title: ""))],
          removed: [.max], start: low)
        for extent in [MediaPlaylist.Extent.whole, .newer, .newerWithTitles] {
          #expect(!list.text(extent).isEmpty)
        }
      }
    }
  }

  // MARK: Multivariant playlists

  @Test func `a multivariant playlist is as written by hand`() {
    let list = MultivariantPlaylist(variants: [
      .init(
        bandwidth: 141_000, averageBandwidth: 131_000, codecs: "mp4a.40.34", url: "main.m3u8"),
      .init(
        bandwidth: 71_000, averageBandwidth: 66_000, codecs: "mp4a.40.34",
        url: "../../jazz-64/hls/main.m3u8?token=a\r\n#x"),
    ])
    let expected = """
      #EXTM3U
      #EXT-X-VERSION:9
      #EXT-X-INDEPENDENT-SEGMENTS
      #EXT-X-STREAM-INF:BANDWIDTH=141000,AVERAGE-BANDWIDTH=131000,CODECS="mp4a.40.34"
      main.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=71000,AVERAGE-BANDWIDTH=66000,CODECS="mp4a.40.34"
      ../../jazz-64/hls/main.m3u8?token=a  #x

      """
    #expect(list.text == Array(expected.utf8))
    var sound = list
    sound.variants[1].url = "../../jazz-64/hls/main.m3u8?token=a"
    expectSound(sound.text)
  }

  @Test(
    arguments: [
      (.mp3, 44_100, 2, nil, 44_100, "mp4a.40.34"), (.aac, 44_100, 2, nil, nil, "mp4a.40.2"),
      (.aac, 24_000, 2, "audio/aacp", nil, "mp4a.40.5"),
      (.aac, 22_050, 1, "audio/aacp", 2, "mp4a.40.29"), (.opus, 48_000, 2, nil, nil, "Opus"),
      (.flac, 96_000, 6, nil, nil, "fLaC"), (.vorbis, 44_100, 2, nil, nil, nil),
      (.speex, 16_000, 1, nil, nil, nil), (.mp2, 48_000, 2, nil, nil, nil),
    ] as [(Codec, Int, Int, String?, Int?, String?)])
  func `codecs have their registered names`(
    codec: Codec, rate: Int, channels: Int, type: String?, announced: Int?, name: String?
  ) {
    let format = AudioFormat(codec: codec, sampleRate: rate, channels: channels)
    let shown = ShownFormat(
      format, announced: .init(mediaType: type, channels: announced == 2 ? 2 : nil))
    #expect(MultivariantPlaylist.codecs(shown, core: format) == name)
  }
}
