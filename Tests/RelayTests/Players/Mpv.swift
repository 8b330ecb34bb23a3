/// mpv as the scenarios run it: without a screen or a loudspeaker.
enum Mpv {
  /// Plays that many seconds of what stands at `url`.
  static func command(_ url: String, seconds: Int, _ options: [String] = []) -> [String] {
    [
      "mpv", "--no-config", "--ao=null", "--no-video", "--no-input-terminal",
      "--msg-level=cplayer=v", "--length=\(seconds)",
    ] + options + [url]
  }

  /// What it said until it had heard enough, which it says before anything is broken off. What comes behind is of the
  /// read that it then breaks off itself, wherever that stands: it may call the frame this cuts corrupt.
  static func said(_ output: String) -> Substring {
    output.firstRange(of: "EOF code:")
      .map { output[..<$0.lowerBound] } ?? output[...]
  }
}
