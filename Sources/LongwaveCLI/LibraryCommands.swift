import ArgumentParser
import Longwave
import LongwaveAdmin

struct LibraryCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "library", abstract: "Search the music that the server has.",
    discussion: """
      `library: roots:` of the server's configuration names the folders of music.

      EXAMPLES
        longwave library status
        longwave library search nina sinner
        longwave library search 'artist:"talk talk" year:1986-1991'
        longwave library list albums
      """,
    subcommands: [
      LibraryStatus.self, LibraryScan.self, LibraryProblems.self, LibrarySearch.self,
      LibraryShow.self, LibraryList.self,
    ])
}

struct LibraryStatus: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "List the folders of music and what is wrong with them.",
    discussion: "EXAMPLES\n  longwave library status\n  longwave library status --json")

  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request("GET", AdminClient.path("library"))
    output.show(json) { LibraryViews.status($0, output.times, width: Terminal.width) }
  }
}

struct LibraryScan: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan", abstract: "Look through the folders of music now.",
    discussion: """
      A folder that has lost much is not believed, and nothing of it is forgotten. --accept believes what is found, and
      says what is gone.

      EXAMPLES
        longwave library scan
        longwave library scan nas --accept
      """)

  @Argument(help: "The root; all unless given.") var root: String?
  @Flag(help: "Believe what is found, even if much is gone that was known.") var accept = false
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    if accept {
      let (library, roots, done) = try await admin.client.acceptLibrary(root)
      return output.show(library) { library in
        LibraryViews.accepted(roots, done) + "\n"
          + LibraryViews.status(library, output.times, width: Terminal.width)
      }
    }
    let json = try await admin.request(
      "POST", AdminClient.path("library", "scan"), body: ["root": JSON(root)],
      names: ["root": "root"])
    output.show(json) { LibraryViews.status($0, output.times, width: Terminal.width) }
  }
}

struct LibraryProblems: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "problems", abstract: "List files that cannot be played, and why.",
    discussion:
      "EXAMPLES\n  longwave library problems\n  longwave library problems main --limit 1000")

  @Argument(help: "The root; all unless given.") var root: String?
  @OptionGroup var part: LibraryPart
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request(
      "GET", part.part(of: AdminClient.path("library", "problems"), [("root", root)]),
      names: part.names)
    output.show(json) { LibraryViews.problems($0, width: Terminal.width) }
  }
}

struct LibrarySearch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find tracks by words.",
    discussion: """
      Each word is the beginning of a word, and all must be there, in any order. Quotes keep words side by side.
      artist:, title:, album:, genre: and path: look in one field, and year:1980-1989 at the year. Marks and case do not
      matter: ros finds Rós, rem finds R.E.M.

      EXAMPLES
        longwave library search nina sinner
        longwave library search 'artist:"talk talk" year:1986-1991'
        longwave library search genre:jazz --sort added --limit 20
      """)

  @Argument(help: "What the tracks have.") var words: [String] = []
  @Option(
    help: ArgumentHelp(
      "What the list is sorted by: rank, artist, title, added or lastPlayed (the newest first).",
      valueName: "order"))
  var sort: String?
  @Option(help: "Only tracks with a file in this root.") var root: String?
  @OptionGroup var part: LibraryPart
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let line = words.joined(separator: " ")
    let json = try await admin.request(
      "GET",
      part.part(
        of: AdminClient.path("tracks"),
        [("q", line.isEmpty ? nil : line), ("sort", sort), ("root", root)]),
      names: part.names.merging(["q": "words", "sort": "--sort", "root": "--root"]) { one, _ in one
      })
    output.show(json) { LibraryViews.tracks($0, width: Terminal.width) }
  }
}

struct LibraryShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a track and its files.",
    discussion: "EXAMPLES\n  longwave library show 4f0c2d9ab1e35577a8090b3c6d5e7f12")

  @Argument(help: "The track, as searches show it.") var track: String
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request("GET", AdminClient.path("tracks", track))
    output.show(json) { LibraryViews.track($0, output.times, width: Terminal.width) }
  }
}

struct LibraryList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List artists, albums, or folders.",
    discussion: """
      EXAMPLES
        longwave library list artists
        longwave library list albums --artist "Talk Talk"
        longwave library list folders /srv/music/jazz
        longwave library list folders --path-bytes L3Nydi9tdXNpYy9q/w==
      """)

  enum Kind: String, CaseIterable, ExpressibleByArgument { case artists, albums, folders }

  @Argument(help: "artists, albums or folders.") var kind: Kind
  @Argument(help: "A folder in a root, with folders; the roots unless given.") var path: String?
  @Option(
    help: ArgumentHelp(
      "The folder as Base64, as the list has it of names that are no UTF-8.", valueName: "base64"))
  var pathBytes: String?
  @Option(help: "Words that the names have.") var words: String?
  @Option(help: "Only albums of this artist.") var artist: String?
  @OptionGroup var part: LibraryPart
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if path != nil || pathBytes != nil, kind != .folders {
      throw ValidationError("Only folders have a path")
    }
    if words != nil, kind == .folders { throw ValidationError("Folders are listed by path alone") }
    if artist != nil, kind != .albums { throw ValidationError("--artist is for albums") }
  }

  func run() async throws {
    let json = try await admin.request(
      "GET",
      part.part(
        of: AdminClient.path(kind.rawValue),
        [("path", path), ("pathBytes", pathBytes), ("q", words), ("artist", artist)]),
      names: part.names.merging([
        "path": "path", "pathBytes": "--path-bytes", "q": "--words", "artist": "--artist",
      ]) { one, _ in one })
    output.show(json) { LibraryViews.names($0, kind.rawValue, width: Terminal.width) }
  }
}

/// Which part of a list is shown.
struct LibraryPart: ParsableArguments {
  @Option(help: "The most lines, up to 1000; 100 unless given.") var limit: Int?
  @Option(help: "Begin behind the last line of another call, as it says.") var after: String?

  var names: [String: String] { ["limit": "--limit", "after": "--after"] }

  /// - Parameter path: of the request, as `AdminClient.path` makes it.
  func part(of path: String, _ query: [(String, String?)]) -> String {
    path + AdminClient.query(query + [("limit", limit.map(String.init)), ("after", after)])
  }
}
