import TestSupport
import Testing

@testable import Wire

@Suite struct StationListTests {
  private func items(_ text: String, name: String = "") -> [PlaylistItem]? {
    try? StationList.items(Array(text.utf8), name: name)
  }

  private func item(
    _ url: String, _ title: String? = nil, artwork: String? = nil, genre: String? = nil,
    homepage: String? = nil, description: String? = nil, seconds: Double? = nil
  ) -> PlaylistItem {
    var item = PlaylistItem(urls: [url], title: title)
    item.seconds = seconds
    item.artwork = artwork
    item.genre = genre
    item.homepage = homepage
    item.description = description
    return item
  }

  @Test(arguments: [
    "#EXTM3U\n#EXTINF:-1 tvg-logo=\"http://p/a.png\" group-title=\"Jazz, cool\",One, two\nhttp://a/",
    "\u{FEFF}#EXTM3U\r\n#EXTINF:-1,One, two\r\n#EXTIMG:http://p/a.png\r\n#EXTGRP:Jazz, cool\r\nhttp://a/\r\n",
    "#EXTM3U\r#EXTGENRE: Jazz, cool\r#EXTIMG: http://p/a.png\r#EXTINF:-1 radio=\"true\" TVG-LOGO=\"\",One, two\rhttp://a/",
  ])
  func `an m3u tells of pictures and groups`(text: String) {
    let wanted = item(
      "http://a/", "One, two", artwork: "http://p/a.png", genre: "Jazz, cool", seconds: -1)
    #expect(items(text) == [wanted])
  }

  @Test func `a value in an m3u cannot end its quotation marks`() {
    let odd = item("http://a/", "A", genre: "x\"\u{301} group-title=\"y\r\nhttp://b/")
    let text = StationList.text([odd], as: .m3u)
    let wanted = "#EXTINF:-1 group-title=\"x'\u{301} group-title='y  http://b/\",A\r\nhttp://a/\r\n"
    #expect(Array(text.utf8) == Array(("#EXTM3U\r\n" + wanted).utf8))
  }

  @Test func `an m3u's fields of one stream do not go over to the next`() {
    let text = "#EXTM3U\n#EXTINF:-1,A\n#EXTIMG:http://p/\n#EXTGRP:G\nhttp://a/\nhttp://b/\n"
    #expect(
      items(text) == [
        item("http://a/", "A", artwork: "http://p/", genre: "G", seconds: -1), item("http://b/"),
      ])
  }

  @Test func `an OPML directory gives its stations, with their folder as genre`() {
    let text = """
      <?xml version="1.0"?>
      <opml version="1"><head><title>RadioTime</title></head>
      <body><outline text="Music"><outline text="Jazz &amp; more" key="stations">
        <outline type="audio" text="Swing &quot;40s&quot;" URL="http://t/Tune.ashx?id=s1&amp;x=2" bitrate="128"
          subtext="All day" item="station" image="http://p/s1.png"/>
        <outline type="audio" text="Bop" URL='http://t/Tune.ashx?id=s2' category="Bebop"
          htmlUrl="http://bop.example/"></outline></outline>
        <outline type="link" text="More" URL="http://t/Browse.ashx?c=more"/>
        <outline type="rss" text="A show" xmlUrl="http://t/feed.xml"/>
        <OUTLINE TEXT="Rock" xmlUrl="http://r/"/></outline>
        <outline text="No address"/><outline title="Last" url="http://l/"/></body></opml>
      """
    #expect(
      items(text) == [
        item(
          "http://t/Tune.ashx?id=s1&x=2", "Swing \"40s\"", artwork: "http://p/s1.png",
          genre: "Jazz & more", description: "All day"),
        item(
          "http://t/Tune.ashx?id=s2", "Bop", genre: "Bebop", homepage: "http://bop.example/"),
        item("http://r/", "Rock", genre: "Music"), item("http://l/", "Last"),
      ])
  }

  @Test func `an XSPF and an ASX tell of pictures and pages`() {
    var two = item(
      "http://a/", "A", artwork: "http://p/", genre: "Jazz", homepage: "http://h/",
      description: "D")
    two.places.append(Array("http://b/".utf8))
    let xspf = """
      <playlist><image>http://not.this/</image><trackList><track><location>http://a/</location>
      <location>http://b/</location><title>A</title><annotation>D</annotation><info>http://h/</info>
      <image>http://p/</image><extension application="x"><genre>Jazz</genre></extension></track></trackList></playlist>
      """
    #expect(items(xspf) == [two])
    let asx = """
      <ASX><Entry><Title>A</Title><Ref href="http://a/"/><Banner href="http://p/"/>
      <MoreInfo href="http://h/"/><Abstract>D</Abstract></Entry></ASX>
      """
    #expect(
      items(asx) == [
        item("http://a/", "A", artwork: "http://p/", homepage: "http://h/", description: "D")
      ])
  }

  @Test func `Latin-1 and addresses that lead nowhere are told as they are`() throws {
    let bytes = Array("[playlist]\nFile1=rtsp://a/\nTitle1=Caf".utf8) + [0xE9, 10]
    let items = try StationList.items(bytes, name: "x.pls")
    #expect(items.map(\.title) == ["Café"] && items.first?.place == "rtsp://a/")
    #expect(items.first?.urls() == [])
    let relative = try StationList.items(Array("#EXTM3U\n../b.mp3\n".utf8), name: "")
    #expect(relative.first?.urls() == [])
    #expect(relative.first?.urls(base: "http://a/x/y.m3u") == ["http://a/b.mp3"])
  }

  @Test(arguments: [
    ("#EXTM3U\n#EXT-X-TARGETDURATION:10\n", StationListProblem.hls),
    ("<html><body>Not found</body></html>", .unknown), ("ID3\u{4}", .notText),
    ("just words\n", .unknown), ("", .unknown),
  ])
  func `a text that is no list of stations is refused with the reason`(
    text: String, problem: StationListProblem
  ) {
    #expect(throws: problem) { try StationList.items(Array(text.utf8), name: "a.txt") }
  }

  @Test(arguments: [
    "<?xml version='1.0'?>\n<opml>\n<body>\n<outline text='A' URL='http://a.example/x'/>\n<!-- B -->\n</body></opml>",
    "<playlist><trackList>\n<track><location>http://a.example/x</location></track></trackList></playlist>",
    "<ASX version=3>\n<Entry><Ref href=\"http://a.example/x\"/></Entry><![CDATA[<b>]]></ASX>",
  ])
  func `a list in XML that is cut is refused, wherever it is cut`(text: String) throws {
    let root = try #require(text.firstMatch(of: /<(opml|playlist|ASX)/))
    for end in text.indices where end >= root.range.upperBound {
      let cut = String(text[..<end])
      let problem = #expect(throws: StationListProblem.self, "\(cut)") {
        try StationList.items(Array(cut.utf8), name: "")
      }
      #expect(problem?.description.hasSuffix("; it is cut off: take a whole copy") == true)
    }
    #expect(items(text)?.flatMap { $0.urls() } == ["http://a.example/x"])
  }

  @Test(arguments: [
    "<opml><body><outline text=\"A & B\" URL=\"http://a.example/x\"></body></opml>",
    "<opml><body><outline text='5\" TV' URL=http://a.example/x ></outline></outline><br></body></opml>\n<!-- by",
    "<OPML><body><outline text=\"a < b\" URL=\"http://a.example/x\"/></Body></opml>\n\n</html>",
    "<playlist><track><title>I <3 R&B</title><location>http://a.example/x</location></playlist>",
    "<asx><entry><ref href=\"http://a.example/x\"><title>A</entry></asx>",
  ])
  func `a list in XML that is whole is taken, however badly it is written`(text: String) {
    #expect(items(text)?.flatMap { $0.urls() } == ["http://a.example/x"])
  }

  @Test(arguments: StationList.Format.allCases)
  func `a list that was written is read as it was`(format: StationList.Format) throws {
    var jazz = item(
      "http://a/x?b=1&c=2", "Jazz <\"live\"> & more, 24/7 – café", artwork: "https://p/i.png?a&b",
      genre: "Jazz, 'cool'", homepage: "http://h/", description: "All the \"best\"\nof it")
    jazz.places.append(Array("http://fallback/".utf8))
    let text = StationList.text([jazz, item("http://plain/")], as: format)
    let read = try StationList.items(Array(text.utf8), name: "")
    let urls = read.flatMap { $0.urls() }
    #expect(urls == ["http://a/x?b=1&c=2", "http://fallback/", "http://plain/"])
    #expect(read.first?.title == jazz.title)
    let hasArt = format != .pls
    #expect(read.first?.artwork == (hasArt ? jazz.artwork : nil))
    #expect(read.first?.genre == (hasArt ? jazz.genre : nil))
    let hasPages = format == .xspf || format == .opml
    #expect(read.first?.homepage == (hasPages ? jazz.homepage : nil))
    #expect(read.first?.description == (hasPages ? "All the \"best\" of it" : nil))
  }

  @Test func `a broken station list gives no more stations than it has bytes`() {
    let seed: UInt64 = 20_261_121
    var random = SplitMix(seed: seed)
    let seeds = StationList.Format.allCases.map {
      StationList.text([item("http://a/", "A & B", artwork: "http://p/", genre: "G")], as: $0)
    }
    for round in 0..<3000 {
      let bytes = random.mutated(Array(seeds[round % seeds.count].utf8))
      let items = (try? StationList.items(bytes, name: "x.m3u")) ?? []
      #expect(items.count <= bytes.count, "seed \(seed), round \(round)")
    }
  }
}
