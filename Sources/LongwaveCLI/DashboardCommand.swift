import ArgumentParser
import Longwave
import LongwaveAdmin

struct DashboardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dashboard", abstract: "Print the link of the dashboard, for a browser.",
    discussion: """
      The link contains the admin token, behind the #, which browsers do not send: the page takes it from there and
      removes it from the address. Whoever has the link can change everything on the server.

      EXAMPLES
        longwave dashboard
        xdg-open "$(longwave dashboard)"
        longwave dashboard --server https://radio.example.org --token-file token
      """)

  @OptionGroup var admin: AdminOptions

  func run() async throws {
    let link = try await admin.client.dashboardLink()
    Terminal.print(link + "\n")
    if Terminal.isOutput {
      Terminal.complain("this link contains the admin token: give it to administrators only")
    }
  }
}
