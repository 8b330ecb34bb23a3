/// A mistake at a terminal, and what the program says: what is wrong, on what, and what to do.
///
/// In arguments and messages `{folder}` is a folder of the test, `{data}` the data folder of the relay that runs,
/// `{at}` its HOST:PORT, `{free}` a data folder without a relay; `…` in a message stands for any text.
struct Mistake: Sendable {
  var arguments: [String]
  var status: Int32
  var message: String
  /// The commands named before `--help`; nil for those that the arguments begin with.
  var help: String?
  /// Whether the command gets `--data {data}`.
  var isAsking = false

  /// A wrong command line.
  static func usage(_ arguments: [String], _ message: String, help: String = "") -> Mistake {
    Mistake(arguments: arguments, status: 64, message: message, help: help)
  }

  /// A command that asks the relay, which refuses the value.
  static func value(_ arguments: [String], _ message: String, help: String) -> Mistake {
    Mistake(arguments: arguments, status: 64, message: message, help: help, isAsking: true)
  }

  static func failure(_ arguments: [String], _ status: Int32 = 1, _ message: String) -> Mistake {
    Mistake(arguments: arguments, status: status, message: message)
  }

  static func refusal(_ arguments: [String], _ message: String) -> Mistake {
    Mistake(arguments: arguments, status: 1, message: message, isAsking: true)
  }
}

extension Mistake {
  static let all = commands + files + addresses + servers + stations + values

  static let commands: [Mistake] = [
    .usage(["sttion", "list"], "There is no command 'sttion'; did you mean longwave station?"),
    .usage(
      ["station", "lst"],
      "There is no command 'lst' of longwave station; did you mean longwave station list?",
      help: "station"),
    .usage(
      ["station", "bans"],
      "There is no command 'bans' of longwave station; did you mean longwave listener bans?",
      help: "station"),
    .usage(["add", "jazz"], "There is no command 'add'; did you mean longwave station add?"),
    .usage(
      ["help", "statoin"], "There is no command and no topic 'statoin'; did you mean station?"),
    .usage(["frobnicate"], "There is no command 'frobnicate'; there are serve, relay, demo, …"),
    .usage(
      ["serve", "--confg", "x"], "Unknown option '--confg'. Did you mean '--config'?", help: "serve"
    ),
    .usage(
      ["doctor", "--ready", "--json"],
      "--ready only asks the running relay; leave out --network and --json", help: "doctor"),
    .usage(
      ["doctor", "--ready", "--network"],
      "--ready only asks the running relay; leave out --network and --json", help: "doctor"),
    .usage(
      ["listener", "ban", "10.0.0.1", "--for", "-5"],
      "The value '-5' of '--for <duration>' begins with a dash, as options do; write --for=-5 if it is "
        + "meant", help: "listener ban"),
    .usage(
      ["station", "edit", "jazz", "--unset", "name", "--name", "X"],
      "--unset name and --name exclude each other; give one of them", help: "station edit"),
    .usage(["serve", "--config"], "Missing value for '--config <file>'", help: "serve"),
    .usage(["clip", "jazz"], "Missing expected argument '--from <time>'", help: "clip"),
    .usage(
      ["listener", "kick", "x"], "The value 'x' is invalid for '<id>'; write a whole number",
      help: "listener kick"),
    .usage(
      ["station", "history", "jazz", "--limit", "x"],
      "The value 'x' is invalid for '--limit <count>'; write a whole number",
      help: "station history"),
    .usage(
      ["completion", "tcsh"],
      "The value 'tcsh' is invalid for '<shell>'. Please provide one of 'zsh', 'bash' or 'fish'.",
      help: "completion"),
    .usage(
      ["station", "export", "--format", "csv"],
      "The value 'csv' is invalid for '--format <format>'. Please provide one of 'yaml', 'm3u', "
        + "'pls', 'xspf' or 'opml'.", help: "station export"),
    .usage(
      ["station", "remove", "jazz"],
      "There is no terminal to ask on; give --yes to remove jazz and all it has stored",
      help: "station remove"),
    .usage(
      ["listener", "seek", "1"], "give one of --offset, --at, --to and --live",
      help: "listener seek"),
    .usage(
      ["listener", "unban", "x"], "\"x\" is neither the number of a ban nor an address",
      help: "listener unban"),
    .usage(
      ["events", "--kinds", ""], "--kinds: names none; write some of state, …", help: "events"),
  ]

  static let files: [Mistake] = [
    .failure(
      ["serve", "--config", "{folder}"], 78,
      "{folder}: is a folder, not a file; name the file in it"),
    .failure(
      ["serve", "--config", "{folder}/none.yml"], 78,
      "{folder}/none.yml: no such file; write where it is"),
    .failure(["config", "check", ""], 78, "\"\": names no file; write its path"),
    .failure(
      ["config", "check", "{folder}"], 78, "{folder}: is a folder, not a file; name the file in it"),
    .failure(
      ["config", "import", "{folder}"], 78,
      "{folder}: is a folder, not a file; name the file in it"),
    .failure(
      ["station", "import", "{folder}"], 1,
      "{folder}: is a folder, not a file; name the file in it"),
    .failure(
      ["station", "import", "{folder}/none.m3u"], 1,
      "{folder}/none.m3u: no such file; write where it is"),
    .failure(
      ["clip", "jazz", "--from", "-1m", "-o", "{folder}/none/x.mp3"], 1,
      "cannot write {folder}/none/x.mp3: No such file or directory; make the folder {folder}/none "
        + "first"),
    .failure(
      ["clip", "jazz", "--from", "-1m", "-o", "{folder}"], 1,
      "cannot write {folder}: Is a directory; name a file in it"),
    .failure(
      ["station", "list", "--server", "http://{at}", "--token-file", "{folder}"], 1,
      "cannot read {folder}: Is a directory; name a file whose first line is the secret"),
    .failure(
      ["station", "list", "--server", "http://{at}", "--token-file", "{folder}/none"], 1,
      "cannot read {folder}/none: No such file or directory; name a file whose first line is the "
        + "secret"),
    .usage(
      ["station", "list", "--server", "https://{at}", "--ca-file", "{folder}/none"],
      "--server-ca-file: {folder}/none is not there; name a file of certificates in PEM format",
      help: "station list"),
  ]

  static let addresses: [Mistake] = [
    .usage(
      ["serve", "--listen", "8000"],
      "--listen: \"8000\" has no host; write 0.0.0.0:8000 for everybody, or 127.0.0.1:8000 for this "
        + "machine", help: "serve"),
    .usage(
      ["serve", "--listen", ":8000"],
      "--listen: \":8000\" has no host; write 0.0.0.0:8000 for everybody, or 127.0.0.1:8000 for this "
        + "machine", help: "serve"),
    .usage(
      ["serve", "--listen", "localhost"],
      "--listen: \"localhost\" has no port; write localhost:8000", help: "serve"),
    .usage(
      ["serve", "--listen", "127.0.0.1:99999"],
      "--listen: \"127.0.0.1:99999\" has the port 99999; a port is a number from 0 to 65535",
      help: "serve"),
    .usage(
      ["serve", "--listen", "127.0.0.1:8000", "--listen", "127.0.0.1:8000"],
      "--listen: 127.0.0.1:8000 is there twice; write it once", help: "serve"),
    .failure(
      ["serve", "--listen", "{at}", "--data", "{free}"], 1,
      "port in use: {at}; stop the other server (ss -ltnp 'sport = :…' shows it), or listen "
        + "elsewhere (--listen HOST:PORT)"),
    .failure(
      ["serve", "--listen", "192.0.2.1:8000", "--data", "{free}"], 1,
      "bind 192.0.2.1:8000: Cannot assign requested address; choose an address of this machine (ip "
        + "address shows them; --listen HOST:PORT)"),
    .failure(
      ["serve", "--listen", "127.0.0.1:0", "--data", "{data}"], 1,
      "another longwave (process …) runs on {data}; stop it, or give this one a folder of its own by "
        + "--data"),
    .failure(
      ["serve", "--listen", "127.0.0.1:0", "--data", "/dev/null"], 1,
      "cannot create /dev/null: /dev/null: Not a directory; look at /dev/null, or give another folder "
        + "by --data"),
  ]
}
