import ArgumentParser
import Foundation
import Longwave
import LongwaveAdmin

struct CollectionImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Add the tracks of a list: m3u, m3u8, pls, xspf or cue.",
    discussion: """
      Paths count from the list's folder, then from each root of the library; then their case and composition do not
      count; then artist, title and length do. What is not found is named with its line. The collection is made if there
      is none. Files of MPD's playlist folder are such lists.

      EXAMPLES
        longwave collection import party ~/party.m3u
        longwave collection import party old.m3u --base /srv/music
        mpc playlist -f %file% | longwave collection import party -
      """)

  @Argument(help: "The collection.") var collection: String
  @Argument(help: ArgumentHelp("The list; - reads standard input.", valueName: "file"))
  var file: String
  @Option(
    help: ArgumentHelp("The folder from which paths count. Default: the list's.", valueName: "path")
  )
  var base: String?
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let bytes = try CollectionFile.bytes(file)
    let name = file == "-" ? "" : URL(fileURLWithPath: file).lastPathComponent
    let folder =
      base.map { URL(fileURLWithPath: $0).path }
      ?? (file == "-" ? nil : URL(fileURLWithPath: file).deletingLastPathComponent().path)
    let report = try await admin.client.importList(
      bytes, name: name, base: folder, to: collection)
    output.show(report.json) { _ in report.text }
    if report.isCut || report.added == 0 && !report.missing.isEmpty { throw ExitCode.failure }
  }
}

struct CollectionExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a collection as a list for players.",
    discussion: """
      EXAMPLES
        longwave collection export party -o party.m3u8 --paths absolute
        longwave collection export party --format xspf > party.xspf
        longwave collection export party --format json
      """)

  @Argument(help: "The collection.") var collection: String
  @Option(
    help: ArgumentHelp(
      "m3u8, xspf or json. Default: by the file's ending, else m3u8.", valueName: "word"))
  var format: String?
  @Option(help: ArgumentHelp("How files are named: relative, absolute or url.", valueName: "word"))
  var paths = "relative"
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file. Default: standard output.", valueName: "file"))
  var output: String?
  @OptionGroup var admin: AdminOptions

  func run() async throws {
    let ending = output.map { URL(fileURLWithPath: $0).pathExtension.lowercased() }
    let format = format ?? (["xspf", "json"].contains(ending) ? ending : nil) ?? "m3u8"
    let base = output.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
    let bytes = try await admin.client.exportList(
      collection, format: format, paths: paths, base: base)
    if let output {
      do {
        try Data(bytes).write(to: URL(fileURLWithPath: output))
      } catch {
        throw CommandFailure("\(output): \(error.localizedDescription)")
      }
    } else {
      FileHandle.standardOutput.write(Data(bytes))
    }
  }
}

struct FavouriteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "favourite", abstract: "Keep what is on air in the collection favourites.",
    discussion: """
      EXAMPLES
        longwave favourite night
        longwave favourite 0123456789abcdef0123456789abcdef --remove
      """)

  @Argument(
    help: ArgumentHelp(
      "A station, for what is on air there, or a track. Default: the only station.",
      valueName: "station|track"))
  var what: String?
  @Flag(help: "Take it out of the favourites.") var remove = false
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let client = try admin.client
    let result = try await client.favourite(what, isRemoved: remove)
    output.show(result) { result in
      let name = AdminClient.name(of: result)
      return remove ? "\(name) is no favourite any more" : "\(name) is a favourite"
    }
  }
}

/// Files that commands read, and standard input.
enum CollectionFile {
  static func bytes(_ file: String) throws -> [UInt8] {
    do throws(ConfigurationError) {
      return Array(
        file == "-"
          ? FileHandle.standardInput.readDataToEndOfFile()
          : try NamedFile.contents(of: file, most: AdminClient.listBytesMax))
    } catch {
      throw CommandFailure(error.description)
    }
  }

  static func text(_ file: String) throws -> String {
    String(decoding: try bytes(file), as: UTF8.self)
  }
}
