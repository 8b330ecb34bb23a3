import ArgumentParser
import Foundation

/// Makes a station that has been on air for hours, for pictures and trials of the pages.
struct PastCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "past",
    abstract: "Writes a station's past, as a relay leaves it on its disk.",
    discussion: """
      Standard input says what was on air, one line for each step, and the last step ends now:
        title TEXT, with a tab and a picture's URL behind it or without
        play FIRST COUNT, frames of the audio file by their numbers from 0
        gap SECONDS, in which the upstream was away
      The frames must not need each other: ffmpeg -c:a libmp3lame -reservoir 0.
      """)

  @Argument(help: "The station's own folder: DATA/stations/ID.")
  var directory: String
  @Option(help: "A file of MP3 or AAC frames.")
  var audio: String

  func run() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: audio)))
    let lines = String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
    try PastProgramme(
      audio: bytes, lines: lines.split(separator: "\n", omittingEmptySubsequences: false)
    ).write(to: directory)
  }
}
