import ArgumentParser
import Foundation
import Longwave
import LongwaveAdmin

struct ClipCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clip", abstract: "Cut a piece out of the time-shift window.",
    discussion: """
      A time is a moment such as 2026-11-20T18:00:00Z, Unix seconds, 18:00 (the last, in the station's time zone), or
      -10m: ten minutes ago. A clip has the whole packets that begin at --from or later, and before --to. The clip ends
      where the station changed its format. --reverse decodes the clip and encodes it backwards as MP3.

      EXAMPLES
        longwave clip jazz --from -10m -o last-ten-minutes.mp3
        longwave clip jazz --from 18:00 --to 19:00 -o news.mp3
        longwave clip jazz --from -30s | mpg123 -
        longwave clip jazz --from -30s --reverse | mpg123 -
      """)

  @Argument(help: "The station.", completion: .stations) var station: String
  // A duration before now begins with a dash.
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Where the clip begins.", valueName: "time"))
  var from: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where the clip ends. Default: now.", valueName: "time"))
  var to: String?
  @Flag(help: "Play the clip backwards, as MP3.") var reverse = false
  @Option(
    name: [.short, .long],
    help: ArgumentHelp("File for the clip. Default: standard output.", valueName: "file"))
  var output: String?
  @OptionGroup var admin: AdminOptions

  func run() async throws {
    guard let output else {
      if Terminal.isOutput {
        throw ValidationError("This is audio, not text: say where to write it with -o FILE.")
      }
      return try await copy { Terminal.print($0) }
    }
    let file = try OutputFile(output)
    do {
      try await copy { try file.write($0) }
      try file.finish()
    } catch {
      file.discard()
      throw error
    }
  }

  private func copy(_ write: @escaping @Sendable (Span<UInt8>) throws -> Void) async throws {
    let client = try admin.client
    // A pipe's other end may write on the same terminal.
    let progress = output == nil ? nil : Progress(columns: Terminal.columns)
    defer { progress?.clear() }
    do {
      try await client.clip(
        of: station, from: from, to: to, isReversed: reverse, onHead: { progress?.expect($0) }
      ) { piece in
        try write(piece)
        progress?.count(piece.count)
      }
    } catch let error as AdminError {
      throw error.named(["from": "--from", "to": "--to"])
    }
  }
}
