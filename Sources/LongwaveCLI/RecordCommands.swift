import ArgumentParser
import Longwave
import LongwaveAdmin

struct RecordCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Record stations into files on the server.",
    discussion: """
      Files go into the folder that `recordings: folder` of the server's configuration names, else into the folder
      `recordings` of its data folder. A recording continues over restarts. Weekly recordings stand in the station's
      `record:` key (longwave station edit jazz --record "weekdays 18:00-19:30").

      EXAMPLES
        longwave record start jazz --for 1h
        longwave record start jazz --from -10m --split
        longwave record list
        longwave record schedule
        longwave record stop 3
      """,
    subcommands: [RecordStart.self, RecordStop.self, RecordList.self, RecordSchedule.self])
}

struct RecordStart: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Record a station, from now or from what is still in the window.",
    discussion: """
      A name is a pattern of strftime's fields (%Y-%m-%d %H-%M-%S, in the station's time zone), {station}, {artist},
      {title} and {number}. If a file of that name exists, the new name gets a number, unless --append is given.

      EXAMPLES
        longwave record start jazz --for 1h
        longwave record start jazz --from -10m --split --overlap 2s --name "{artist} - {title}"
        longwave record start jazz --for 12h --max-size 500MB
      """)

  @Argument(help: "The station.", completion: .stations) var station: String
  // A duration before now begins with a dash.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where the recording begins. Default: now.", valueName: "time")
  )
  var from: String?
  @Option(
    name: .customLong("for"), help: ArgumentHelp("Length of the recording.", valueName: "duration"))
  var duration: String?
  @Flag(help: "One file for each title.") var split = false
  @Option(
    help: ArgumentHelp(
      "How much earlier each title's file begins, and later it ends.", valueName: "duration"))
  var overlap: String?
  @Option(help: ArgumentHelp("The pattern of the files' names.", valueName: "pattern")) var name:
    String?
  @Flag(help: "Continue an existing file of the same name.") var append = false
  @Option(
    help: ArgumentHelp(
      "Most bytes of all the recording's files, such as 500MB; --append counts the old bytes too.",
      valueName: "size"))
  var maxSize: String?
  @Option(
    help: ArgumentHelp(
      "Time after its end to delete the recording. Default: `recordings: keep`.",
      valueName: "duration"
    ))
  var keep: String?
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let body: JSON = [
      "station": .string(station), "from": JSON(from), "seconds": JSON(duration),
      "split": .bool(split), "overlap": JSON(overlap), "name": JSON(name), "append": .bool(append),
      "maxSize": JSON(maxSize), "keep": JSON(keep),
    ]
    let json = try await admin.request(
      "POST", AdminClient.path("recordings"), body: body,
      names: ["seconds": "--for", "station": "station"])
    output.show(json) { "recording \($0.text("id")): \($0.text("station"))" }
  }
}

struct RecordStop: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "End a recording; its files stay.",
    discussion: """
      The recording ends with the audio that the station has sent so far. While its disk is full or hangs, it waits; a
      second stop ends it at once. Stopping an ended recording takes it off the list.

      EXAMPLES
        longwave record stop 3
      """)

  @Argument(help: "The recording's number.") var id: Int
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request("DELETE", AdminClient.path("recordings", "\(id)"))
    let list = try? await admin.request("GET", AdminClient.path("recordings"))
    let entry = list?.items("recordings").first { $0.text("id") == "\(id)" }
    let isWaiting = entry?.text("state") == "recording"
    output.show(json) { _ in
      "recording \(id): \(isWaiting ? entry?.text("reason") ?? "it ends" : "ended")"
    }
  }
}

struct RecordList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List recordings, running and ended.",
    discussion: "EXAMPLES\n  longwave record list\n  longwave record list --json")

  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request("GET", AdminClient.path("recordings"))
    output.show(json) { Self.table($0.items("recordings"), output.times) }
  }

  private static func table(_ recordings: [JSON], _ times: ShownTimes) -> String {
    if recordings.isEmpty { return "nothing is recorded" }
    let hasReasons = recordings.contains { $0.text("reason") != "-" }
    var table = Table(
      [
        .id(isNumber: true), .id("STATION"), .state(rank: 9), .whole("BY", rank: 1),
        .whole("FROM", rank: 5), .figure("TIME", rank: 7), .figure("BYTES", rank: 4),
        .figure("MISSED", rank: 3), .figure("FILES", rank: 2), .text("FILE", rank: 6),
      ] + (hasReasons ? [.text("WHY", rank: 8)] : []))
    for recording in recordings {
      let last = recording.items("files").last?.text("name") ?? "-"
      let current = recording.text("current.name")
      var row = [
        recording.text("id"), recording.text("station"), recording.text("state"),
        recording.text("schedule.from") == "-" ? "command" : "schedule",
        recording.time("from", times),
        recording.duration("seconds"), recording.bytes("bytes"),
        recording.duration("missedSeconds"), recording.text("fileCount"),
        current == "-" ? last : current,
      ]
      if hasReasons { row.append(recording.text("reason")) }
      table.add(row)
    }
    return table.text(width: Terminal.width)
  }
}

struct RecordSchedule: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule", abstract: "List what the stations' schedules record next.",
    discussion: """
      Each entry of a station's `record:` key stands here once, the soonest first. `record list` shows what is being
      recorded now.

      EXAMPLES
        longwave record schedule
      """)

  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request("GET", AdminClient.path("recordings"))
    output.show(["planned": .array(json.items("planned"))]) {
      Self.table($0.items("planned"), output.times)
    }
  }

  private static func table(_ planned: [JSON], _ times: ShownTimes) -> String {
    if planned.isEmpty { return "nothing is planned; write record: into a station" }
    var table = Table([
      .id("STATION"), .whole("STARTS", rank: 7), .whole("ENDS", rank: 6), .text("DAYS", rank: 2),
      .whole("FROM", rank: 4), .whole("TO", rank: 3), .text("NAME", rank: 1),
    ])
    for one in planned {
      table.add([
        one.text("station"), one.time("start", times), one.time("end", times),
        one.texts("days").joined(separator: ","), one.text("from"), one.text("to"),
        one.text("name"),
      ])
    }
    return table.text(width: Terminal.width)
  }
}
