import TestSupport
import Testing
import Timeshift
import Wire

@testable import Ingest

@Suite struct TitlePaceTests {
  /// Which of titles that follow each other by so many seconds of audio are told, with a packet every 10 ms.
  private func told(every interval: Double, seconds: Double) -> [String] {
    var pace = TitlePace()
    var told: [String] = []
    var next = 0
    for step in 0..<Int(seconds * 100) {
      let media = MediaTime(seconds: Double(step) / 100)
      if Double(step) / 100 >= Double(next) * interval {
        let title = Title(text: "\(next)")
        if pace.admits(title, at: media) { told.append(title.text) }
        next += 1
      }
      if let title = pace.due(at: media) { told.append(title.text) }
    }
    return told
  }

  @Test func `titles that last for a second and more are all told`() {
    #expect(told(every: 1, seconds: 500) == (0..<500).map(String.init))
  }

  @Test func `titles without end are told one for each second of audio`() {
    let told = told(every: 0.01, seconds: 60)
    #expect((120...125).contains(told.count))
    #expect(Set(told).count == told.count)
  }

  @Test func `announced titles without end are told some hundred times, the last one too`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(speed: 2))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await station.wait { $0.log.edgePosition > 10_000 })
    for number in 0..<2000 {
      _ = await station.ingest.announce(Title(text: "\(number)"), station: "test")
    }
    #expect(await station.wait { $0.titles.last?.title == "1999" })
    #expect(station.titles.count < 1000)
    _ = await station.finish()
  }

  @Test func `the newest title is the one that waited`() {
    var pace = TitlePace()
    let start = MediaTime(seconds: 100)
    for number in 0..<100 { _ = pace.admits(Title(text: "\(number)"), at: start) }
    let early = pace.due(at: MediaTime(seconds: 100.5))
    let due = pace.due(at: MediaTime(seconds: 101))
    let again = pace.due(at: MediaTime(seconds: 102))
    #expect(early == nil && due?.text == "99" && again == nil)
  }

  @Test func `a title announced by hand is not undone by one that waited`() {
    var pace = TitlePace()
    for number in 0..<100 { _ = pace.admits(Title(text: "\(number)"), at: .zero) }
    pace.forget()
    #expect(pace.due(at: MediaTime(seconds: 10)) == nil)
  }
}
