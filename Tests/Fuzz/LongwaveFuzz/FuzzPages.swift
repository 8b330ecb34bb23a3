import TestSupport

@testable import Wire

extension FuzzTarget {
  /// A page that says what is playing, taken for every kind of one.
  static let titlePage = FuzzTarget(
    name: "title-page",
    seeds: [
      #"{"icestats":{"source":[{"listenurl":"http://h/a","title":"A - B"},{"title": - }]}}"#,
      #"{"streams":[{"id":1,"songtitle":"\\u0041\\ud83d\\ude00"}],"x":[[],{}],"n":null}"#,
      "<SHOUTCASTSERVER><STREAM id=\"1\"><SONGTITLE>A</SONGTITLE></STREAM></SHOUTCASTSERVER>",
      "<HTML><meta></head><body>1,2,3,4,5,6,A, B</body></html>",
      "<p><Refresh>60</Refresh><PlaylistEntry><Title>A</Title><Artist>B</Artist></PlaylistEntry></p>",
      "<n timezone='+01:00'><song start='2026-05-28 22:26:50' title='A'/><song time='1:02'/></n>",
      "\r\nA - B\r\n",
    ].map(\.bytes)
  ) { bytes in
    for kind in TitlePage.Kind.allCases {
      var page = TitlePage()
      page.kind = kind
      page.paths.title = "n.song.@title"
      page.zone = ZoneOffsets(fixed: "+02:00")
      let title = try? page.title(in: bytes, at: 1_780_000_000) { Charset.decode($0) }
      // An artist, a dash and a song.
      promise(title?.text.utf8.count ?? 0 <= 4003, "a long title of a \(kind) page")
      promise(title?.text.isEmpty != true, "a title that says nothing")
    }
  }
}
