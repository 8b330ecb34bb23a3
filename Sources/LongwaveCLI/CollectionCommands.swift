import ArgumentParser
import Foundation
import Longwave
import LongwaveAdmin

struct CollectionCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "collection", abstract: "Collect tracks for programmes: lists, and rules.",
    discussion: """
      EXAMPLES
        longwave collection create party
        longwave collection import party ~/party.m3u
        longwave collection create recent --rule '{"all":[{"inTheLast":{"added":30}}],"sort":"-added"}'
        longwave collection export party -o party.xspf
      """,
    subcommands: [
      CollectionList.self, CollectionShow.self, CollectionCreate.self, CollectionDelete.self,
      CollectionRename.self, CollectionAdd.self, CollectionRemove.self, CollectionMove.self,
      CollectionImportCommand.self, CollectionExportCommand.self,
    ])
}

struct CollectionList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the collections.",
    discussion: "EXAMPLES\n  longwave collection list\n  longwave collection list --json")

  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request("GET", AdminClient.path("collections"))
    output.show(json) { Self.table($0.items("collections"), output.times) }
  }

  private static func table(_ collections: [JSON], _ times: ShownTimes) -> String {
    if collections.isEmpty { return "there are no collections" }
    var table = Table([
      .id("COLLECTION"), .text("NAME", rank: 2), .whole("KIND", rank: 4),
      .whole("TRACKS", rank: 0), .whole("MISSING", rank: 1), .whole("CHANGED", rank: 5),
      .text("PLAYED BY", rank: 3),
    ])
    for one in collections {
      table.add([
        one.text("collection"), one.text("name"), one.text("kind"), one.text("tracks"),
        one.text("missing"), one.time("changed", times),
        one.texts("usedBy").joined(separator: ", "),
      ])
    }
    return table.text(width: Terminal.width)
  }
}

struct CollectionShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a collection's members, in their order.",
    discussion:
      "EXAMPLES\n  longwave collection show party\n  longwave collection show party --json")

  @Argument(help: "The collection.") var collection: String
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.client.collection(collection)
    output.show(json) { Self.table($0) }
  }

  private static func table(_ collection: JSON) -> String {
    let members = collection.items("members")
    if members.isEmpty { return "\(collection.text("collection")) is empty" }
    var table = Table([
      .id("MEMBER", isNumber: true), .text("TITLE", rank: 0), .text("ARTIST", rank: 1),
      .whole("STATE", rank: 2), .text("FILE", rank: 3),
    ])
    for member in members {
      let title =
        member["collection"] != .null
        ? "collection \(member.text("collection"))"
        : member["url"] != .null ? member.text("url") : member.text("title")
      table.add([
        member.text("member"), title, member.text("artist"), member.text("state"),
        member.text("path"),
      ])
    }
    return table.text(width: Terminal.width)
  }
}

struct CollectionCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a collection: a list, or what a rule finds.",
    discussion: """
      A rule names fields of the library's tracks; Navidrome's smart playlists are read as such. See
      `longwave help collections`.

      EXAMPLES
        longwave collection create party --name "Party by night"
        longwave collection create jazz --rule '{"all":[{"is":{"genre":"jazz"}}]}'
        longwave collection create recent --rule-file recent.nsp
      """)

  @Argument(help: "The collection: 1 to 64 of a-z 0-9 - _ .") var collection: String
  @Option(help: "What people call it.") var name: String?
  @Option(help: ArgumentHelp("The rule, as JSON.", valueName: "json")) var rule: String?
  @Option(
    help: ArgumentHelp("A file with the rule; - reads standard input.", valueName: "file"),
    completion: .file())
  var ruleFile: String?
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if rule != nil, ruleFile != nil {
      throw ValidationError("Give --rule or --rule-file, not both")
    }
  }

  func run() async throws {
    var body: [JSON.Member] = [.init(key: "collection", value: .string(collection))]
    if let name { body.append(.init(key: "name", value: .string(name))) }
    if let text = try ruleFile.map({ try CollectionFile.text($0) }) ?? rule {
      guard let json = JSON.parse(Array(text.utf8)), case .object = json else {
        throw ValidationError("the rule is no JSON object; write {\"all\": [ … ]}")
      }
      body.append(.init(key: "rule", value: json))
    }
    let json = try await admin.request(
      "POST", AdminClient.path("collections"), body: .object(body),
      names: ["collection": "collection"])
    output.show(json) { "\($0.text("collection")): \($0.text("tracks")) tracks" }
  }
}

struct CollectionDelete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Remove a collection; tracks and files stay.",
    discussion: "EXAMPLES\n  longwave collection delete party")

  @Argument(help: "The collection.") var collection: String
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request("DELETE", AdminClient.path("collections", collection))
    output.show(json) { _ in "\(collection) is removed" }
  }
}

struct CollectionRename: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Change what people call a collection.",
    discussion: """
      Stations go on naming it as before.

      EXAMPLES
        longwave collection rename party "Party by night"
      """)

  @Argument(help: "The collection.") var collection: String
  @Argument(help: "What people call it.") var name: String
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request(
      "PATCH", AdminClient.path("collections", collection), body: ["name": .string(name)],
      names: ["name": "name"])
    output.show(json) { "\($0.text("collection")) is called \($0.text("name"))" }
  }
}

struct CollectionAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add tracks, URLs or other collections to a list.",
    discussion: """
      EXAMPLES
        longwave collection add party 0123456789abcdef0123456789abcdef
        longwave collection add party --collection favourites --before 17
      """)

  @Argument(help: "The collection.") var collection: String
  @Argument(help: ArgumentHelp("Tracks by their ids, or URLs.", valueName: "track|url"))
  var what: [String] = []
  @Option(
    name: .customLong("collection"),
    help: ArgumentHelp("Another collection; may be given again.", valueName: "name"))
  var others: [String] = []
  @Option(help: "The member in front of which they stand. Default: at the end.")
  var before: Int64?
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if what.isEmpty, others.isEmpty { throw ValidationError("Name what to add") }
  }

  func run() async throws {
    let urls = what.filter { $0.contains("://") }
    let body: JSON = [
      "tracks": .array(what.filter { !$0.contains("://") }.map(JSON.string)),
      "urls": .array(urls.map(JSON.string)), "collections": .array(others.map(JSON.string)),
      "before": JSON(before),
    ]
    let json = try await admin.request(
      "POST", AdminClient.path("collections", collection, "members"), body: body,
      names: ["before": "--before", "collections": "--collection"])
    output.show(json) { "\($0.text("collection")): \($0.text("tracks")) tracks" }
  }
}

struct CollectionRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take members out of a list.",
    discussion: "EXAMPLES\n  longwave collection remove party 17 18")

  @Argument(help: "The collection.") var collection: String
  @Argument(help: "The numbers of members, as show has them.") var members: [Int64]
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    for member in members {
      _ = try await admin.request(
        "DELETE", AdminClient.path("collections", collection, "members", "\(member)"))
    }
    output.show([:]) { _ in
      members.count == 1
        ? "a member is taken out of \(collection)"
        : "\(members.count) members are taken out of \(collection)"
    }
  }
}

struct CollectionMove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Move a member of a list.",
    discussion: """
      EXAMPLES
        longwave collection move party 17 --before 3
        longwave collection move party 17
      """)

  @Argument(help: "The collection.") var collection: String
  @Argument(help: "The number of the member, as show has it.") var member: Int64
  @Option(help: "The member in front of which it stands then. Default: at the end.")
  var before: Int64?
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request(
      "POST", AdminClient.path("collections", collection, "members", "\(member)", "move"),
      body: ["before": JSON(before)], names: ["before": "--before"])
    output.show(json) { _ in "moved" }
  }
}
