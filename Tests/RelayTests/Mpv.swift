/// mpv as the scenarios run it: without a screen or a loudspeaker.
enum Mpv {
  /// Plays that many seconds of what stands at `url`.
  static func command(_ url: String, seconds: Int, _ options: [String] = []) -> [String] {
    [
      "mpv", "--no-config", "--ao=null", "--no-video", "--no-input-terminal",
      "--msg-level=cplayer=v", "--length=\(seconds)",
    ] + options + [url]
  }

  /// What it said until it had heard enough. Then it breaks off its own read wherever that stands, and may call the
  /// frame this cuts corrupt: on a busy machine after one of 50 to 300 ends, and with any server that sends ICY blocks.
  static func said(_ output: String) -> Substring {
    output.firstRange(of: "Forcefully terminating demuxers")
      .map { output[..<$0.lowerBound] } ?? output[...]
  }
}
