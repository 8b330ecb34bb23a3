import Longwave

extension Operation {
  static let webhooks: [Operation] = [
    Operation(
      "GET", "/api/v1/webhooks", "listWebhooks",
      "The configured webhooks, and the fate of their events.",
      by: .administrators, answers: .json("Webhooks")
    ) { call in
      let webhooks = await call.relay.webhooks()
      return .json(200, ["webhooks": .array(webhooks.map(\.json))])
    }
  ]
}
