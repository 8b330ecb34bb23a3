import Server
import TestSupport
import Testing

@testable import Longwave

/// What becomes of events that wait for a web service when the relay stops.
@Suite struct WebhookEndTests {
  /// A desk with a service that has refused three events.
  private func withWaiting(
    _ body: (WebhookDesk, FakeUpstream, SaidLines) async throws -> Void
  ) async throws {
    let receiver = try FakeUpstream(.numbered())
    defer { receiver.stop() }
    receiver.reply("/hook", with: .status(503))
    let (followers, said) = (EventFollowers(), SaidLines())
    let desk = WebhookDesk(followers, logger: said.logger)
    var settings = WebhookSettings()
    settings.url = receiver.url("/hook")
    settings.batch = 100
    desk.follow([settings])
    for id: UInt64 in 1...3 {
      followers.post(
        EventRing.Event(id: id, kind: "state", station: nil, json: "{}", identifiedJSON: "{}"))
    }
    try await eventually("it is refused, and all wait") {
      desk.states.first?.state == .retrying && desk.states.first?.queued == 3
    }
    try await body(desk, receiver, said)
  }

  @Test func `waiting events are tried once more when the relay stops`() async throws {
    try await withWaiting { desk, receiver, said in
      let before = receiver.requests(for: "/hook").count
      receiver.reply("/hook", with: .status(200))
      await desk.stop()
      #expect(receiver.requests(for: "/hook").count > before)
      #expect(!said.all.contains { $0.contains("not sent") }, "\(said.all)")
    }
  }

  @Test(arguments: [true, false])
  func `events not told by the end are counted in the log`(isRemoved: Bool) async throws {
    try await withWaiting { desk, receiver, said in
      if isRemoved { desk.follow([]) } else { await desk.stop() }
      let url = receiver.url("/hook")
      try await eventually("the line") {
        said.all.contains(
          "3 events were not sent to \(url) before the webhook ended")
      }
      #expect(said.all.count { $0.contains("not sent") } == 1)
    }
  }
}
