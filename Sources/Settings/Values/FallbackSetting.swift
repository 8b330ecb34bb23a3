/// What a station's listeners hear while no upstream delivers, as `fallback:` says it.
public enum FallbackSetting: Hashable, Sendable {
  /// Generated frames in the station's own format.
  case silence
  case station(String)
  /// Path of a file, beginning with a slash; the file is played over and over.
  case file(String)

  /// The setting as files have it.
  public var text: String {
    switch self {
    case .silence: "silence"
    case .station(let id): "station:\(id)"
    case .file(let path): "file:\(path)"
    }
  }

  /// The id of the station; nil for other fallbacks.
  package var station: String? { if case .station(let id) = self { id } else { nil } }

  /// Path of the file; nil for other fallbacks.
  package var path: String? { if case .file(let path) = self { path } else { nil } }

  /// The setting as everybody may see it: paths are not shown.
  package var publicText: String {
    if case .file = self { return "file" }
    return text
  }
}
