import ArgumentParser
import Longwave
import LongwaveAdmin

struct WebhooksCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhooks",
    abstract: "List the webhooks, and whether each accepts its events.",
    discussion: "EXAMPLES\n  longwave webhooks\n  longwave webhooks --json")

  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request("GET", AdminClient.path("webhooks"))
    output.show(json) { Self.table($0.items("webhooks"), output.times) }
  }

  private static func table(_ webhooks: [JSON], _ times: ShownTimes) -> String {
    if webhooks.isEmpty {
      return "no webhook is configured; write webhooks: into the configuration"
    }
    var table = Table([
      .id("NO", isNumber: true), .state(rank: 9), .whole("FAILING SINCE", rank: 7),
      .figure("QUEUED", rank: 4), .figure("DELIVERED", rank: 2), .figure("FAILED", rank: 3),
      .figure("LOST", rank: 5), .text("URL", rank: 8), .text("LAST ERROR", rank: 6),
    ])
    for webhook in webhooks {
      let figures = ["queued", "delivered", "failed", "lost", "url", "lastError"]
      table.add(
        [webhook.text("number"), webhook.text("state"), webhook.time("failingSince", times)]
          + figures.map { webhook.text($0) })
    }
    return table.text(width: Terminal.width)
  }
}
