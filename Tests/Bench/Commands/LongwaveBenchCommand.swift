import ArgumentParser

@main
struct LongwaveBenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "longwave-bench",
    abstract: "Load and comparisons, measured on this machine.",
    subcommands: [
      FanoutCommand.self, ShiftedCommand.self, StormCommand.self, StationsCommand.self,
      TLSCommand.self, LatencyCommand.self, OutageCommand.self, SoakCommand.self, FilesCommand.self,
      WatchersCommand.self, PagesCommand.self, PastCommand.self, SoundCommand.self,
      BesideCommand.self, LibraryCommand.self, HLSCommand.self,
      UpstreamPart.self, LoadPart.self, LimitPart.self, WalkPart.self, ListenPart.self,
      HLSPart.self,
    ])
}
