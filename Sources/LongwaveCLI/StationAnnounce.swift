import ArgumentParser
import Longwave
import LongwaveAdmin

struct StationAnnounce: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "announce", abstract: "Announce a title by hand.",
    discussion: """
      Listeners see the title from now on, at this place of the audio, until the upstream or its page sends a new one.
      The text before the first " - " is the artist.

      EXAMPLES
        longwave station announce jazz "Miles Davis - So What"
        longwave station announce jazz "The news" --url https://example.org/news
      """)

  @Argument(help: "The station.", completion: .stations) var id: String
  @Argument(help: "Artist and title, with \" - \" between them, or a title alone.")
  var title: String
  @Option(help: "A link that goes with the title.") var url: String?
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let (artist, title) = Self.parts(of: title)
    let body: JSON = ["artist": JSON(artist), "title": .string(title), "url": JSON(url)]
    let station = try await admin.request(
      "PUT", AdminClient.path("stations", id, "metadata"), body: body,
      names: ["title": "title", "artist": "title"])
    output.show(station) { "\($0.text("id")): \(body.titleLine)" }
  }

  private static func parts(of text: String) -> (artist: String?, title: String) {
    guard let dash = text.firstRange(of: " - ") else { return (nil, text) }
    let (artist, title) = (text[..<dash.lowerBound], text[dash.upperBound...])
    return artist.isEmpty || title.isEmpty ? (nil, text) : (String(artist), String(title))
  }
}
