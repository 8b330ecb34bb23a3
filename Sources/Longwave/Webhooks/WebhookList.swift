import Logging
import Server

/// The web services that are told of events.
///
/// Not Sendable: only the relay's actor has it.
final class WebhookList {
  /// Seconds in which what waits is told at the relay's end.
  private static let settlingSeconds = 2.0

  private let followers: EventFollowers
  private let logger: Logger
  private var hooks: [Webhook] = []

  init(_ followers: EventFollowers, logger: Logger) {
    (self.followers, self.logger) = (followers, logger)
  }

  var states: [WebhookState] { hooks.map(\.shown) }

  /// Makes the services what a configuration says. One that is as before keeps its queue, unless it wanted no more.
  func follow(_ settings: [WebhookSettings]) {
    var old = hooks
    hooks = settings.enumerated().compactMap { index, settings in
      if let same = old.firstIndex(where: { $0.settings == settings && $0.shown.state != .stopped })
      {
        let hook = old.remove(at: same)
        hook.set(number: index + 1)
        return hook
      }
      let hook = Webhook(settings, number: index + 1, logger: logger)
      guard hook.begin() else {
        logger.error("\(hook.place) gets no events: the system gives no more threads")
        return nil
      }
      return hook
    }
    followers.set(hooks.map { hook in { hook.post($0) } })
    for hook in old { hook.end(within: 0) }
  }

  /// Tells what waits, as far as there is time.
  func stop() async {
    for hook in hooks { hook.end(within: Self.settlingSeconds) }
    // A service that hangs has the time of one request.
    for _ in 0..<25 where hooks.contains(where: { !$0.isOver }) {
      try? await Task.sleep(for: .milliseconds(100))
    }
    for hook in hooks { hook.giveUp() }
    hooks = []
    followers.set([])
  }
}
