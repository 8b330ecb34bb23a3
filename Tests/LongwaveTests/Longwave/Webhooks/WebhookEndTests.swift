import Server
import TestSupport
import Testing

@testable import Longwave

/// What becomes of events that wait for a web service when the relay stops.
@Suite struct WebhookEndTests {
  /// A list with a service that has refused three events.
  private func withWaiting(
    _ body: (WebhookList, FakeUpstream, SaidLines) async throws -> Void
  ) async throws {
    let receiver = try FakeUpstream(.numbered())
    defer { receiver.stop() }
    receiver.reply("/hook", with: .status(503))
    let (followers, said) = (EventFollowers(), SaidLines())
    let webhooks = WebhookList(followers, logger: said.logger)
    var settings = WebhookSettings()
    settings.url = receiver.url("/hook")
    settings.batch = 100
    webhooks.follow([settings])
    for id: UInt64 in 1...3 {
      followers.post(
        EventRing.Event(id: id, kind: "state", station: nil, json: "{}", identifiedJSON: "{}"))
    }
    try await eventually("it is refused, and all wait") {
      webhooks.states.first?.state == .retrying && webhooks.states.first?.queued == 3
    }
    try await body(webhooks, receiver, said)
  }

  @Test func `waiting events are tried once more when the relay stops`() async throws {
    try await withWaiting { webhooks, receiver, said in
      let before = receiver.requests(for: "/hook").count
      receiver.reply("/hook", with: .status(200))
      await webhooks.stop()
      #expect(receiver.requests(for: "/hook").count > before)
      #expect(!said.all.contains { $0.contains("not sent") }, "\(said.all)")
    }
  }

  @Test(arguments: [true, false])
  func `events not told by the end are counted in the log`(isRemoved: Bool) async throws {
    try await withWaiting { webhooks, receiver, said in
      if isRemoved { webhooks.follow([]) } else { await webhooks.stop() }
      // Its path may be a secret.
      let place = receiver.url("")
      try await eventually("the line") {
        said.all.contains("3 events were not sent to \(place) before the webhook ended")
      }
      #expect(said.all.count { $0.contains("not sent") } == 1)
    }
  }
}
