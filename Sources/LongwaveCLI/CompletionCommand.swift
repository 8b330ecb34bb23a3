import ArgumentParser
import Longwave
import LongwaveAdmin

extension CompletionShell: @retroactive ExpressibleByArgument {}

/// Has no `run`: the root command, which knows all others, writes the script.
struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Write a script that completes commands, options and station ids in a shell.",
    discussion: """
      EXAMPLES
        longwave completion bash > ~/.local/share/bash-completion/completions/longwave
        longwave completion zsh > ~/.zsh/completions/_longwave        (a folder of fpath)
        longwave completion fish > ~/.config/fish/completions/longwave.fish
      """)

  @Argument(help: "bash, zsh or fish.") var shell: CompletionShell
}

extension CompletionKind {
  /// The ids of the running server's stations; empty without a server.
  static var stations: CompletionKind {
    .custom { words, _, _ in
      func value(of option: String) -> String? {
        words.firstIndex(of: option).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
      }
      var client = AdminClient(
        data: value(of: "--data"), server: value(of: "--server"), token: value(of: "--token"),
        caFile: value(of: "--server-ca-file"))
      client.isInsecure = words.contains("--insecure")
      // A person waits at the keyboard, so the timeout is short.
      client.timeout = 2
      return client.stationIDs()
    }
  }
}
