import Logging
import Testing
import Timeshift

@testable import Longwave

@Suite struct EventStreamTests {
  private let hub = EventHub(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })

  private func post(_ kind: RelayEvent.Kind, _ station: String) {
    hub.post(RelayEvent(kind, station: station, time: Moment.now().wall))
  }

  @Test func `a program follows the kinds it names, until the relay has stopped`() async {
    let titles = hub.streams.stream(of: [.metadataLive])
    let all = hub.streams.stream(of: [])
    post(.playing, "jazz")
    post(.metadataLive, "jazz")
    post(.metadataLive, "rock")
    hub.streams.end()
    var stations: [String?] = []
    for await event in titles { stations.append(event.station) }
    #expect(stations == ["jazz", "rock"])
    var kinds: [RelayEvent.Kind] = []
    for await event in all { kinds.append(event.kind) }
    #expect(kinds == [.playing, .metadataLive, .metadataLive])
  }

  @Test func `a follower after the relay has stopped is told nothing`() async {
    hub.streams.end()
    for await event in hub.streams.stream(of: []) { Issue.record("\(event)") }
  }
}
