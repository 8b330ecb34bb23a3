extension Relay {
  /// The web services that are told of events, in the order of the configuration.
  public func webhooks() -> [WebhookState] { webhookDesk.states }
}
