/// `log:`, the files that other programs count listeners with. Without a path there is none.
public struct LogSettings: Hashable, Sendable {
  /// Where requests are written down.
  public var access: String?
  /// Where titles are written down.
  public var playlist: String?
  /// Whether addresses are shortened until they say nobody's name.
  public var anonymise = false

  public init() {}
}

extension LogSettings {
  mutating func read(_ section: SettingReader) {
    section.read("access", into: &access, .text(max: 4096, wanted: "the path of a file"))
    section.read("playlist", into: &playlist, .text(max: 4096, wanted: "the path of a file"))
    section.read("anonymise", into: &anonymise, .flag)
    if let access, access == playlist {
      section.report("is the access log already; give each a file of its own", key: "playlist")
    }
  }
}
