import ArgumentParser
import Longwave
import LongwaveAdmin

struct DashboardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dashboard", abstract: "Print the link of the dashboard, for a browser.",
    discussion: """
      The first browser that opens the link within a minute is signed in and can change everything on the server. The
      link holds a code behind the #, which browsers do not send, and no token.

      EXAMPLES
        longwave dashboard
        xdg-open "$(longwave dashboard)"
        longwave dashboard --server https://radio.example.org --token-file token
      """)

  @OptionGroup var admin: AdminOptions

  func run() async throws {
    let link = try await admin.client.dashboardLink()
    Terminal.print(link + "\n")
    if !link.contains(AdminClient.dashboardCode) {
      Terminal.complain("this server is older: its dashboard asks for the admin token")
    } else if Terminal.isOutput {
      Terminal.complain("the link signs in once, within a minute: give it to administrators only")
    }
  }
}
