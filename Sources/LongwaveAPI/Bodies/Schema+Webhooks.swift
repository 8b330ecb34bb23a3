import Longwave

extension Schema {
  static let webhooks: [(name: String, schema: JSON)] = [
    (
      "Webhooks",
      object([
        (
          "webhooks",
          list(
            object([
              ("number", count), ("url", text), ("kinds", list(text)), ("stations", list(text)),
              ("state", words(WebhookState.State.allCases.map(\.rawValue))), ("queued", count),
              ("delivered", count), ("failed", count), ("lost", count),
              ("lastDelivery", known(time)), ("lastError", known(text)),
              ("nextAttempt", known(time)),
            ]))
        )
      ])
    )
  ]
}
