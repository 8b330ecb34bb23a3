import Ingest
import Programmes

/// The keys of each section, in the order in which people are shown them.
package enum ConfigurationKeys {
  package static let sections: [ConfigurationSection] = {
    var sections = GlobalKeys.sections.map { ($0.name, $0.rows.names()) }
    sections.insert(
      contentsOf: [("tls", TLSSettings.keys), ("certificates", TLSSettings.pairKeys)], at: 1)
    return sections + [
      ("roots", MusicRoot.rows.names()), ("links", WebLink.rows.names()),
      ("webhooks", WebhookSettings.rows.names()),
      ("stations", station),
      ("renditions", RenditionSettings.rows.names()), ("auth", AuthSettings.rows.names()),
      ("metadata", MetadataSettings.rows.names()), ("record", RecordingRule.rows.names()),
      ("hls", HLSRule.Keys.rows.names()),
    ] + programme
  }()

  /// The keys of what a programme plays that have an effect.
  private static let programme: [ConfigurationSection] = [
    ("programme", Programme.rows.names()), ("parts", Programme.Part.rows.names()),
    ("insert", InsertRule.Keys.rows.names()), ("separate", Separate.rows.names()),
  ].map { ($0.0, $0.1.filter { !ProgrammeLimits.keys.contains($0) }) }

  /// The names that a message may tell.
  package static let names = KeySuggestion.names(of: sections)

  static let top = GlobalKeys.sections.map(\.name) + ["webhooks", "stations"]
  static let upstream = sections.first { $0.name == "upstream" }?.keys ?? []
  static let station = StationKeys.all.names()

  /// The keys of the whole file.
  package static let tree = KeyTree(
    keys: Dictionary(
      GlobalKeys.sections.map { ($0.name, KeyTree(keys: $0.rows.trees())) } + [
        ("webhooks", KeyTree(keys: WebhookSettings.rows.trees())),
        ("stations", KeyTree(keys: StationKeys.all.trees(), name: "id")),
      ]
    ) { $1 })

  /// Returns what a whole file says; nil for what is no YAML.
  package static func root(of text: String) -> SettingNode? {
    do throws(ConfigurationError) {
      return try YAMLDocument.root(of: text, file: "", known: names)
        ?? SettingNode(content: .fields([]), line: 1)
    } catch {
      return nil
    }
  }
}
