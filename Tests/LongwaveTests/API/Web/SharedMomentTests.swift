import Testing
import Timeshift
import Wire

@testable import Longwave
@testable import LongwaveAPI

/// What programs show beside a link to a moment.
@Suite struct SharedMomentTests {
  private static func visit(at: String? = nil, clip: String? = nil) -> ListenPage.Visit {
    var visit = ListenPage.Visit(place: at.map { .init(name: "at", value: $0) })
    visit.clip = clip
    return visit
  }

  private static func moment(_ visit: ListenPage.Visit) -> SharedMoment? {
    SharedMoment(visit, in: Sample.timeline)
  }

  @Test(arguments: [
    ("2026-11-20T18:00:00Z", "So What – Miles Davis, 19:00 on Jazz"),
    ("2026-11-20T18:00:39.5Z", "So What – Miles Davis, 19:00 on Jazz"),
    ("2026-11-20T19:00:40.001+01:00", "Naima – John Coltrane, 19:00 on Jazz"),
    ("1795197660", "Naima – John Coltrane, 19:01 on Jazz"),
    // In the gap: what follows it.
    ("2026-11-20T18:00:25Z", "So What – Miles Davis, 19:00 on Jazz"),
    ("2026-11-20T17:59:59Z", nil), ("2026-11-20T18:01:11Z", nil), ("track-start", nil),
    ("-10m", nil), ("18:00", nil), ("nonsense", nil),
  ])
  func `a moment of the window is told by its title, and no other`(at: String, title: String?) {
    #expect(Self.moment(Self.visit(at: at))?.title(on: "Jazz") == title)
  }

  @Test(arguments: [
    ("2026-11-20T18:00:05Z/2026-11-20T18:00:36Z", "A clip of 0:31: 2026-11-20, 19:00."),
    ("1795197605/1795197636", "A clip of 0:31: 2026-11-20, 19:00."),
    ("1795197636/1795197605", nil), ("1795197605", nil), ("/", nil), ("a/b", nil),
    ("1/1795197605", nil), ("1795197605/1795197636/1795197640", nil),
  ])
  func `a clip is told by where it begins`(clip: String, summary: String?) {
    #expect(Self.moment(Self.visit(clip: clip))?.summary == summary)
  }

  @Test func `a page of a moment has its title, its picture and its address in the head`() throws {
    var timeline = Sample.timeline
    timeline.titles[0].playing.artwork = "https://example.org/a.png"
    timeline.titles[0].playing.title = "\"><b>"
    var visit = Self.visit(at: "2026-11-20T18:00:01Z")
    visit.access = "secret"
    var page = ListenPage(
      station: Sample.station, qualities: Qualities(of: Sample.station, in: []),
      timeline: timeline, visit: visit, base: "http://radio.example:8000", house: WebSettings())
    let plain = page.page.html.text
    page.moment = SharedMoment(visit, in: timeline)
    let html = page.page.html.text
    func content(_ name: String, in html: String) -> String? {
      html.split(separator: "\n").first { $0.contains("=\"\(name)\" content=") }
        .flatMap { $0.firstMatch(of: /content="([^"]*)"/) }.map { String($0.output.1) }
    }
    #expect(
      content("og:title", in: html)
        == "&quot;&gt;&lt;b&gt; – Miles Davis, 19:00 on Jazz &quot;24&quot;")
    #expect(content("og:description", in: html) == "Plays from then on: 2026-11-20, 19:00.")
    #expect(
      content("og:image", in: html)
        == "http://radio.example:8000/api/v1/stations/jazz/artwork?position=1600000")
    #expect(
      content("og:url", in: html)
        == "http://radio.example:8000/listen/jazz?at=2026-11-20T18%3A00%3A01Z")
    #expect(content("og:site_name", in: html) == "Longwave")
    #expect(content("twitter:card", in: html) == "summary")
    // Where it may not be told, the page is the station's.
    #expect(content("og:title", in: plain) == "Jazz &quot;24&quot; – Longwave")
    #expect(content("og:url", in: plain) == "http://radio.example:8000/listen/jazz")
    #expect(content("og:image", in: plain)?.contains("position=1600000") != true)
  }
}
