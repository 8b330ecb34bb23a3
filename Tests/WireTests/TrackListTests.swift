import Testing

@testable import Wire

@Suite struct TrackListTests {
  private func entries(_ text: String, name: String = "") -> [TrackListEntry]? {
    try? TrackList(Array(text.utf8), name: name).entries
  }

  private func path(
    _ text: String, line: Int, title: String? = nil, artist: String? = nil, seconds: Double? = nil
  ) -> TrackListEntry {
    TrackListEntry(
      .path(Array(text.utf8)), line: line, title: title, artist: artist, seconds: seconds)
  }

  @Test(arguments: [
    "#EXTM3U\n#EXTINF:245,Nina Simone - Sinnerman\nNina/a.mp3\n\n#PLAYLIST:x\n../b c.mp3\n/abs.mp3\n",
    "\u{FEFF}#EXTM3U\r\n#EXTINF:245,Nina Simone - Sinnerman\r\nNina/a.mp3\r\n\r\n#\r\n../b c.mp3\r\n/abs.mp3",
    "#EXTM3U\r#EXTINF:245, Nina Simone -  Sinnerman\rNina/a.mp3\r\r#\r../b c.mp3\r/abs.mp3\r\u{0}\u{1A}",
  ])
  func `an m3u has its paths, and what is said of the first`(text: String) {
    #expect(
      entries(text) == [
        path("Nina/a.mp3", line: 3, title: "Sinnerman", artist: "Nina Simone", seconds: 245),
        path("../b c.mp3", line: 6), path("/abs.mp3", line: 7),
      ])
  }

  @Test func `paths that are no UTF-8 stay the bytes they are`() throws {
    let bytes = Array("#EXTM3U\nm".utf8) + [0xFC, 0x62] + Array(".mp3\n e\u{301} .mp3\n".utf8)
    let list = try TrackList(bytes)
    #expect(
      list.entries.map(\.readings) == [
        [[0x6D, 0xFC, 0x62] + Array(".mp3".utf8)],
        [Array(" e\u{301} .mp3".utf8), Array("e\u{301} .mp3".utf8)],
      ])
  }

  @Test func `a list in UTF-16 is read`() {
    let text = "#EXTM3U\n#EXTINF:1,A - B\nü.mp3\n"
    let units = text.utf16.flatMap { unit -> [UInt8] in
      [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)]
    }
    let bytes: [UInt8] = [0xFF, 0xFE] + units
    let list = try? TrackList(bytes)
    #expect(list?.entries == [path("ü.mp3", line: 3, title: "B", artist: "A", seconds: 1)])
  }

  @Test func `an address is told from a path, and a file's address is a path`() {
    let text = "http://h/a.mp3\nfile:///m/a%20b.mp3\nfile://localhost/c.mp3\nhttp:a.mp3\n"
    #expect(
      entries(text)?.map(\.place) == [
        .url("http://h/a.mp3"), .path(Array("/m/a%20b.mp3".utf8)), .path(Array("/c.mp3".utf8)),
        .path(Array("http:a.mp3".utf8)),
      ])
    #expect(entries(text)?[1].readings.first == Array("/m/a b.mp3".utf8))
  }

  @Test(arguments: [
    ("a.mp3", ["a.mp3"]), ("50%25.mp3", ["50%25.mp3", "50%.mp3"]), ("50%.mp3", ["50%.mp3"]),
    ("..\\M\\a.mp3", ["..\\M\\a.mp3", "../M/a.mp3"]),
    ("C:\\M\\a.mp3", ["C:\\M\\a.mp3", "/M/a.mp3"]), ("a%00.mp3", ["a%00.mp3"]),
    ("a.mp3 ", ["a.mp3 ", "a.mp3"]), ("file:///C:/M/a.mp3", ["/C:/M/a.mp3", "/M/a.mp3"]),
  ])
  func `a path is read as it is, then as other programs may have meant it`(
    _ text: String, _ wanted: [String]
  ) {
    #expect(entries(text)?.first?.readings == wanted.map { Array($0.utf8) })
  }

  @Test func `a pls has its order by number, its titles and lengths`() {
    let text = """
      [playlist]
      File2=b=c.mp3
      Length2=-1
      File1=../a.mp3
      Title1=A - B - C
      Length1=61
      file3=http://h/
      NumberOfEntries=9
      """
    #expect(
      entries(text) == [
        path("../a.mp3", line: 4, title: "B - C", artist: "A", seconds: 61),
        path("b=c.mp3", line: 2), TrackListEntry(.url("http://h/"), line: 7),
      ])
  }

  @Test func `an xspf has escaped places, titles, artists and milliseconds`() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <playlist version="1" xmlns="http://xspf.org/ns/0/"><title>x</title><trackList>
        <track>
          <location>file:///m/a%20%26%20b.mp3</location>
          <title>A &amp; B</title><creator>Talk Talk</creator><duration>245300</duration>
        </track>
        <track><location>http://h/</location>
          <location>sub/%E9.mp3</location></track>
        <track><title>nowhere</title></track>
      </trackList></playlist>
      """
    let list = try #require(entries(text))
    try #require(list.count == 2)
    #expect(list[0].readings.first == Array("/m/a & b.mp3".utf8))
    #expect((list[0].title, list[0].artist, list[0].seconds) == ("A & B", "Talk Talk", 245.3))
    #expect(list[0].line == 4)
    #expect(list[1].readings.first == Array("sub/".utf8) + [0xE9] + Array(".mp3".utf8))
    #expect(list[1].line == 8)
  }

  @Test func `a cue sheet has its tracks with their stretches`() {
    let text = """
      REM GENRE Jazz
      PERFORMER "Nina Simone"
      TITLE "Pastel Blues"
      FILE "Pastel "Blues".flac" WAVE
        TRACK 01 AUDIO
          TITLE "Be My Husband"
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          TITLE "Sinnerman"
          PERFORMER "N. Simone"
          INDEX 00 03:20:00
          INDEX 01 03:22:37
      FILE b side.mp3 MP3
        TRACK 03 AUDIO
          INDEX 01 00:00:00
        TRACK 04 MODE1/2352
          INDEX 01 00:10:00
      """
    var wanted = [
      path("Pastel \"Blues\".flac", line: 5, title: "Be My Husband", artist: "Nina Simone"),
      path("Pastel \"Blues\".flac", line: 8, title: "Sinnerman", artist: "N. Simone"),
      path("b side.mp3", line: 14, artist: "Nina Simone", seconds: 10),
    ]
    let border = 202 + 37.0 / 75
    (wanted[0].seconds, wanted[0].part) = (border, .init(begin: 0, end: border))
    wanted[1].part = .init(begin: border)
    wanted[2].part = .init(begin: 0, end: 10)
    #expect(entries(text) == wanted)
  }

  @Test func `a cue sheet with a file for each track is a list of files`() {
    let text = """
      FILE "1.mp3" MP3
      TRACK 01 AUDIO
      INDEX 01 00:00:00
      FILE "2.mp3" MP3
      TRACK 02 AUDIO
      INDEX 01 00:00:00
      """
    #expect(entries(text) == [path("1.mp3", line: 2), path("2.mp3", line: 5)])
  }

  @Test(arguments: [
    ("#EXTM3U\n#EXT-X-VERSION:3\na.ts\n", "", TrackListProblem.hls),
    ("ID3\u{4}", "a.m3u", .notText), ("a\u{0}b\nc", "a.m3u", .notText),
    ("<html><body>Not found", "a.m3u", .unknown), ("{\"a\":1}", "", .unknown),
    ("a.mp3\n", "a.mp3", .unknown), ("x", "a.xspf", .unknown),
  ])
  func `what is no list of files is refused`(
    _ text: String, _ name: String, _ wanted: TrackListProblem
  ) {
    #expect(throws: wanted) { try TrackList(Array(text.utf8), name: name) }
  }

  @Test(arguments: [
    (
      "a.m3u", "\(String(repeating: "x", count: 60_000))\na.mp3\nfile://\n",
      ["1 is longer", "3 names"]
    ),
    ("a.pls", "[playlist]\nFile1=\nFile2=a.mp3\n", ["2 names no file"]),
    (
      "a.cue",
      """
      FILE "a.mp3" MP3
      TRACK 01 AUDIO
      INDEX 01 00:00:00
      TRACK 02 AUDIO
      INDEX 01 00:99:00
      TRACK 03 AUDIO
      TRACK 04 MODE1/2352
      INDEX 01 10:00:00
      """, ["4 is no index", "6 has no INDEX 01", "7 is no track of audio"]
    ),
    ("b.cue", "TRACK 01 AUDIO\nINDEX 01 00:00:00\n", ["1 has no FILE"]),
    (
      "c.cue",
      """
      FILE "a.mp3" MP3
      TRACK 01 AUDIO
      INDEX 01 05:00:00
      TRACK 02 AUDIO
      INDEX 01 05:00:00
      TRACK 03 AUDIO
      INDEX 01 04:00:00
      """, ["2 ends before it begins", "4 ends before it begins"]
    ),
    (
      "a.xspf",
      """
      <playlist><trackList><track><location>a.mp3</location></track>
      <track><title>nowhere</title></track><track/></trackList></playlist>
      """, ["2 names no file", "2 names no file"]
    ),
  ])
  func `what stands in place of an entry is told with its line`(
    _ name: String, _ text: String, _ wanted: [String]
  ) throws {
    let list = try TrackList(Array(text.utf8), name: name)
    #expect(list.entries.count == (name == "b.cue" ? 0 : 1))
    try #require(list.faults.count == wanted.count, "\(list.faults)")
    for (fault, wanted) in zip(list.faults, wanted) {
      #expect("\(fault.line) \(fault.reason)".hasPrefix(wanted))
      #expect(fault.text.utf8.count < 300)
    }
  }

  @Test func `a track without an index ends nothing`() throws {
    let sheet = """
      FILE "a.mp3" MP3
      TRACK 01 AUDIO
      INDEX 01 00:05:00
      TRACK 02 AUDIO
      INDEX 01 00:10:99
      TRACK 03 AUDIO
      INDEX 01 00:20:00
      """
    let list = try TrackList(Array(sheet.utf8), name: "a.cue")
    #expect(list.entries.map(\.part?.begin) == [5, 20] && list.entries[0].part?.end == 20)
    #expect(list.faults.count == 1)
  }

  @Test func `a cue sheet has at most 99 tracks of one file`() throws {
    let tracks = (0..<102).map { "TRACK 01 AUDIO\nINDEX 01 \($0):00:00\n" }.joined()
    let list = try TrackList(Array(("FILE \"a.mp3\" MP3\n" + tracks).utf8), name: "a.cue")
    #expect(list.entries.count == 99 && list.faults.count == 3)
    #expect(list.faults[0].reason.hasPrefix("is more than 99"))
  }

  @Test func `a long text is shown without half a character`() {
    for count in 195...205 {
      let text = String(repeating: "x", count: count) + "ü€😀" + String(repeating: "y", count: 99)
      let shown = TrackListEntry(.path(Array(text.utf8))).shown
      #expect(text.hasPrefix(shown.dropLast()) && shown.last == "…" && shown.count > 190)
    }
    #expect(TrackListEntry(.path(Array("a\n\u{FFFD}".utf8))).shown == "a\\x0a\u{FFFD}")
  }

  @Test func `an xspf that is cut off is refused with its line`() {
    let text = "<playlist>\n<trackList>\n<track><location>a"
    #expect {
      try TrackList(Array(text.utf8))
    } throws: { "\($0)".hasPrefix("line 3: ends inside <location>") }
  }

  @Test func `a list larger than it may be is refused, one with too many entries is cut`() throws {
    let large = [UInt8](repeating: 0x61, count: TrackList.bytesMax + 1)
    #expect(throws: TrackListProblem.tooLarge) { try TrackList(large) }
    let long = [[UInt8]](repeating: Array("a\n".utf8), count: TrackList.entriesMax + 1)
    let list = try TrackList(Array(long.joined()))
    #expect(list.entries.count == TrackList.entriesMax && list.isCut)
    #expect(try !TrackList(Array(long.dropFirst().joined())).isCut)
  }

  private static let whole = [
    ("a.m3u", "#EXTM3U\r\n#EXTINF:1,A - B\r\na.mp3\r\n#EXTINF:2,C\r\nhttp://h/\r\nb.mp3\r\n"),
    ("a.pls", "[playlist]\nFile1=a\nTitle1=A\nLength1=1\nFile2=b\n"),
    (
      "a.cue",
      "FILE \"a\" WAVE\nTRACK 01 AUDIO\nTITLE \"x\"\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 01:00:00\n"
    ),
  ]

  @Test(arguments: whole) func `a list cut at any byte has the entries before the cut`(
    name: String, text: String
  ) throws {
    let bytes = Array(text.utf8)
    let all = try TrackList(bytes, name: name).entries
    for count in bytes.indices {
      let part = try TrackList(Array(bytes[..<count]), name: name).entries
      #expect(part.count <= all.count)
      for (entry, whole) in zip(part.dropLast(), all) { #expect(entry.place == whole.place) }
    }
    #expect(all.count > 1)
  }

  private static let names: [[UInt8]] =
    [
      "a.mp3", "/m/a b.mp3", "#1.mp3", " lead.mp3", "trail ", "http://x", "-rf", "100%41.mp3",
      "e\u{301}.mp3", "\u{E9}.mp3", "a\nb.mp3", "/a\r.mp3", "\"q\".mp3", "[playlist]", "<a>", " ",
      "C:\\a", "file:///x", "FILE a", "a:b", "&amp;",
    ].map { Array($0.utf8) } + [[0xFF, 0xFE, 0x41], [0x2F, 0xE9, 0x80]]

  @Test func `any name is found again in what was written of it`() throws {
    let written = Self.names.map {
      TrackListEntry(.path($0), title: "T", artist: "A", seconds: 3)
    }
    for bytes in [TrackList.m3u(written), TrackList.xspf(written, title: "x")] {
      let read = try TrackList(bytes).entries
      try #require(read.count == Self.names.count)
      for (name, entry) in zip(Self.names, read) {
        let meant = entry.readings.map { PathText.resolved($0, in: Array("/f".utf8)) }
        #expect(meant.contains(PathText.resolved(name, in: Array("/f".utf8))), "\(name)")
        #expect((entry.title, entry.artist, entry.seconds) == ("T", "A", 3))
      }
    }
  }

  @Test(arguments: [
    ("a", "/f", "/f/a"), ("../a", "/f/g", "/f/a"), ("../../../a", "/f", "/a"),
    ("/a//b/.", "/f", "/a/b"),
    ("..", "/f", "/"), ("./#a", "/", "/#a"),
  ])
  func `a path is resolved by its text`(_ path: String, _ folder: String, _ wanted: String) {
    let resolved = PathText.resolved(Array(path.utf8), in: Array(folder.utf8))
    #expect(String(decoding: resolved, as: UTF8.self) == wanted)
    let own = PathText.relative(resolved, to: Array(folder.utf8))
    #expect(PathText.resolved(own, in: Array(folder.utf8)) == resolved)
  }

  @Test func `what is below a folder is below it by whole names`() {
    func below(_ folder: String, _ path: String) -> String? {
      PathText.below(Array(folder.utf8), Array(path.utf8)).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    #expect(below("/m", "/m/a/b") == "a/b")
    #expect(below("/", "/a") == "a")
    #expect(below("/m", "/mm/a") == nil && below("/m", "/m") == nil && below("/m", "/") == nil)
  }
}
