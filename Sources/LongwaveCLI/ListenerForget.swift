import ArgumentParser
import Longwave
import LongwaveAdmin

struct ListenerForget: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Forget all listening sessions without a connection.",
    discussion: """
      A listener that comes back with such a session's token begins anew, live.

      EXAMPLES
        longwave listener forget
      """)

  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    _ = try await admin.request("DELETE", AdminClient.path("sessions"))
    output.show([:]) { _ in "forgotten" }
  }
}
