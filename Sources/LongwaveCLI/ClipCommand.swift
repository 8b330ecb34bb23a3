import ArgumentParser
import Foundation
import Longwave

struct ClipCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clip", abstract: "Cut a piece out of the time-shift window.",
    discussion: """
      A time is a moment such as 2026-11-20T18:00:00Z, Unix seconds, or how long ago: -10m. Whole packets: what begins
      at --from or later and before --to. Where the station changed its format, the clip ends.

      EXAMPLES
        longwave clip jazz --from -10m -o last-ten-minutes.mp3
        longwave clip jazz --from 2026-11-20T18:00:00Z --to 2026-11-20T19:00:00Z -o news.mp3
        longwave clip jazz --from -30s | mpg123 -
      """)

  @Argument(help: "The station.", completion: .stations) var station: String
  // A time before now begins with a dash.
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Where it begins.", valueName: "time"))
  var from: String
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Where it ends; else now.", valueName: "time"))
  var to: String?
  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Where to write it; else to standard output.", valueName: "file"))
  var output: String?
  @OptionGroup var admin: AdminOptions

  func run() async throws {
    guard let output else {
      if Terminal.isOutput {
        throw ValidationError("This is audio, not text: say where to write it with -o FILE.")
      }
      return try await copy(to: .standardOutput)
    }
    let part = output + ".part"
    guard FileManager.default.createFile(atPath: part, contents: nil),
      let file = FileHandle(forWritingAtPath: part)
    else {
      throw ClipError(description: "cannot write \(part): \(String(cString: strerror(errno)))")
    }
    do {
      try await copy(to: file)
      try file.close()
      guard rename(part, output) == 0 else {
        throw ClipError(
          description: "cannot write \(output): \(String(cString: strerror(errno)))")
      }
    } catch {
      unlink(part)
      throw error
    }
  }

  private func copy(to file: FileHandle) async throws {
    try await admin.client.clip(of: station, from: from, to: to) { piece in
      do {
        try file.write(contentsOf: piece.withUnsafeBytes { Data($0) })
      } catch {
        throw ClipError(description: "cannot write the clip: \(error.localizedDescription)")
      }
    }
  }
}

private struct ClipError: Error, CustomStringConvertible {
  var description: String
}
