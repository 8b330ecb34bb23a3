/// `web:`, the pages for browsers.
public struct WebSettings: Hashable, Sendable {
  /// Whether there are pages.
  public var isEnabled = true
  /// Name that the pages bear.
  public var title = "Longwave"
  /// Whether there is a dashboard among them.
  public var hasDashboard = true

  public init() {}
}

extension WebSettings {
  mutating func read(_ section: SettingReader) {
    section.read("enabled", into: &isEnabled, .flag)
    section.read("title", into: &title, .text(max: 64, wanted: "a name"))
    section.read("admin", into: &hasDashboard, .flag)
  }
}
