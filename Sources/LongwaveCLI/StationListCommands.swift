import ArgumentParser
import Foundation
import Longwave

struct StationImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Take over the stations of a list.",
    discussion: """
      The list is a pls, m3u, xspf, asx or OPML file, or YAML with stations: as a configuration has them (what export
      writes). One in XML that is cut off is refused. Names, pictures, genres and homepages are kept; ids are made from
      names. Neighbours of one name are one station with fallbacks. A station that is there already (the same upstream,
      or the same name) stays as it is, with --update it gets what the list says. Nothing is ever removed.

      EXAMPLES
        longwave station import stations.m3u
        longwave station import --dry-run directory.opml
        longwave station import --update stations.yml --server https://radio.example.org
        longwave station export | ssh other longwave station import -
      """)

  @Argument(
    help: ArgumentHelp("The list: a file, - for standard input, or a URL.", valueName: "file"))
  var file: String
  @Flag(help: "Change what is there already to what the list says.") var update = false
  @Flag(help: "Only say what would happen.") var dryRun = false
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let candidates = try await StationCandidate.read(from: file)
    let isJSON = output.isJSON
    let report = try await admin.client.importStations(
      candidates, isUpdating: update, isDryRun: dryRun
    ) { entry in
      if isJSON { return }
      if entry.outcome == .failed {
        Terminal.complain(entry.line)
      } else {
        Terminal.write(entry.line)
      }
    }
    output.show(report.json) { _ in report.summary }
    if report.hasFailures { throw ExitCode.failure }
  }
}

extension StationExport.Format: ExpressibleByArgument {}

struct StationExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write all stations as a list.",
    discussion: """
      YAML keeps everything, passwords included, and is what stations: of a configuration takes. The others keep the
      upstream's URLs and the name; m3u also picture and genre, xspf and OPML besides these homepage and description.

      EXAMPLES
        longwave station export -o stations.yml
        longwave station export --format opml > stations.opml
      """)

  @Option(
    help: "How to write it: yaml (the default), m3u, pls, xspf or opml; else by the file's ending.")
  var format: StationExport.Format?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file; else standard output.", valueName: "file"))
  var output: String?
  @OptionGroup var admin: AdminOptions

  func run() async throws {
    let format = format ?? output.flatMap { StationExport.Format(path: $0) } ?? .yaml
    let list = StationExport(try await admin.client.definitions(), as: format)
    if let output {
      try list.write(to: output)
    } else {
      Terminal.print(list.text)
    }
    if !list.leftOut.isEmpty {
      Terminal.complain(
        "left out, for they have no URL that they are pulled from: "
          + list.leftOut.joined(separator: ", "))
    }
  }
}
