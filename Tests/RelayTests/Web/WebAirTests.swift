import Longwave
import Reactor
import TestSupport
import Testing
import Wire

/// Stations that encoders push to, on the list and on their pages.
extension WebScenarioTests {
  @Test func `a station that encoders push to is off air while none does`() async throws {
    let other = StationDefinition(
      id: "other", source: .files("/usr/share/base-files", throttleBypass: nil))
    try await Scenario.withRelay([PushScenarioTests.station(), other]) { relay in
      for path in ["/", "/listen/live"] {
        let page = try await relay.get(path).text
        #expect(page.contains(#"data-state="off-air">off air<"#), "\(path)")
      }
      try await ChromePipe.with { chrome in
        let list = try await chrome.page()
        try await list.open("http://\(relay.address)/?lang=de")
        let player = try await chrome.page()
        try await player.open("http://\(relay.address)/listen/live?lang=de")
        func both(_ word: String) async throws {
          for (page, selector) in [(list, "[data-station=live] .state"), (player, "#state-word")] {
            try await page.bringToFront()
            try await page.until(
              "\(word) at \(selector)",
              "document.querySelector('\(selector)').textContent === '\(word)'")
          }
        }
        try await both("nicht auf Sendung")
        let source = try PushScenarioTests.Encoder(relay, PushScenarioTests.ask())
        try await source.greeted()
        try await source.send(until: "it plays") {
          try await relay.station("live")["state"]?.string == "playing"
        }
        try await list.bringToFront()
        try await source.send(until: "it is on air on the list") {
          try await list.text("[data-station=live] .state") == "auf Sendung"
        }
        Socket.shutdownWriting(source.client.fd)
        try await both("nicht auf Sendung")
      }
    }
  }
}
