import ArgumentParser
import Longwave
import LongwaveAdmin

struct WebhooksCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhooks",
    abstract: "List the web services that are told of events, and whether they take them.",
    discussion: "EXAMPLES\n  longwave webhooks\n  longwave webhooks --json")

  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request("GET", AdminClient.path("webhooks"))
    output.show(json) { Self.table($0.items("webhooks")) }
  }

  private static func table(_ webhooks: [JSON]) -> String {
    if webhooks.isEmpty {
      return "nobody is told of events; webhooks: in the configuration says who is"
    }
    var table = Table(
      ["NO", "STATE", "QUEUED", "DELIVERED", "FAILED", "LOST", "URL", "LAST ERROR"],
      right: [0, 2, 3, 4, 5])
    let keys = ["number", "state", "queued", "delivered", "failed", "lost", "url", "lastError"]
    for webhook in webhooks { table.add(keys.map { webhook.text($0) }) }
    return table.text(width: Terminal.width)
  }
}
