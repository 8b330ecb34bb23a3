/// `log:`, the files with which other programs count listeners. A log without a path is not written.
public struct LogSettings: Hashable, Sendable {
  /// The form of the lines on standard error.
  public enum Format: String, Sendable, CaseIterable, SettingValue {
    case text
    case json
  }

  /// The form of the program's own lines, unless standard error is systemd's journal. A start reads it.
  public var format = Format.text
  /// Path of the access log, which lists requests.
  public var access: String?
  /// Path of the playlist log, which lists titles.
  public var playlist: String?
  /// Whether addresses are shortened until they identify nobody.
  public var anonymise = false

  public init() {}
}
