import ArgumentParser
import Longwave

struct ListenerForget: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Forget the listening sessions that nobody is connected to.",
    discussion: """
      Those who come back with a token of such a session begin anew, live.

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
