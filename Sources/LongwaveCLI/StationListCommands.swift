import ArgumentParser
import Foundation
import Longwave
import LongwaveAdmin

struct StationImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Add the stations of a list.",
    discussion: """
      The list is a pls, m3u, xspf, asx or OPML file, or YAML with `stations:` as export writes it. An incomplete XML file
      is refused. Names, pictures, genres and homepages are kept; ids are made from names. Adjacent entries with one name
      become one station with several upstreams. A station that exists already (same upstream or same name) stays as it
      is, unless --update is given. Nothing is ever removed.

      EXAMPLES
        longwave station import stations.m3u
        longwave station import --dry-run directory.opml
        longwave station import --update stations.yml --server https://radio.example.org
        longwave station export | ssh other longwave station import -
      """)

  @Argument(
    help: ArgumentHelp("The list: a file, - for standard input, or a URL.", valueName: "file"))
  var file: String
  @Flag(help: "Change existing stations as the list says.") var update = false
  @Flag(help: "Show the changes without making them.") var dryRun = false
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let progress = Progress(columns: Terminal.columns)
    progress.show("reading \(file)")
    let candidates: [StationCandidate]
    do throws(ConfigurationError) {
      candidates = try await StationCandidate.read(from: file)
    } catch {
      progress.clear()
      // A list is no configuration, so the status says no more than that it failed.
      throw CommandFailure(error.description)
    }
    let isJSON = output.isJSON
    var done = 0
    defer { progress.clear() }
    let report = try await admin.client.importStations(
      candidates, isUpdating: update, isDryRun: dryRun
    ) { entry in
      done += 1
      progress.clear()
      defer { progress.show("\(done) of \(candidates.count) stations") }
      if isJSON { return }
      if entry.outcome == .failed {
        Terminal.complain(entry.line)
      } else {
        Terminal.write(entry.line)
      }
    }
    progress.clear()
    output.show(report.json) { _ in report.summary }
    if report.hasFailures { throw ExitCode.failure }
  }
}

extension StationExport.Format: ExpressibleByArgument {}

struct StationExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write all stations as a list.",
    discussion: """
      YAML keeps everything, passwords included, and fits below `stations:` of a configuration. The other formats keep the
      upstream's URLs and the name; m3u also picture and genre; xspf and OPML also homepage and description.

      EXAMPLES
        longwave station export -o stations.yml
        longwave station export --format opml > stations.opml
      """)

  @Option(
    help: "yaml, m3u, pls, xspf or opml. Default: by the file's ending, else yaml.")
  var format: StationExport.Format?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file. Default: standard output.", valueName: "file"))
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
        "left out, since they are pulled from no URL: "
          + list.leftOut.joined(separator: ", "))
    }
  }
}
