/// The keys of a station and the commands that add and change stations.
public enum StationCommandKeys {
  /// Keys without an option: only files and bodies have them.
  public static let withoutOption: Set<String> = [
    "pause-timeout", "metaint", "auth", "connect-timeout", "data-timeout", "command", "prebuffer",
    "silence", "loudness", "clipping", "renditions",
  ]
}
