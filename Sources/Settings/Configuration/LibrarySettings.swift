import Ingest
import Media

/// `library:`, the folders of music that are looked through.
public struct LibrarySettings: Hashable, Sendable {
  /// How changes in a root are noticed.
  public enum Watch: String, Hashable, Sendable, CaseIterable, SettingValue {
    /// At once on local disks; on others by a look every few minutes.
    case auto
    /// By `rescan` alone.
    case off = "false"
  }

  /// When loudness, peak, and where sound begins and ends are measured.
  public enum Measure: String, Hashable, Sendable, CaseIterable, SettingValue {
    case idle
    /// Tags alone say them.
    case never
  }

  public var roots: [MusicRoot] = []
  /// Seconds between two looks at everything.
  public var rescan = 3600.0
  public var watch = Watch.auto
  /// Seconds for which a track without a file stays listed.
  public var missing = 30.0 * 86_400
  public var measure = Measure.idle

  public init() {}
}

/// A folder that is looked through.
public struct MusicRoot: Hashable, Sendable {
  /// The name by which people and programs know it: see `StationID`.
  public var id: String
  /// The absolute path, with neither `.` nor `..` nor a slash at its end.
  public var path: String
  /// The charset of tags that are declared Latin-1 and are no UTF-8; nil: Windows-1252.
  public var encoding: CharsetName?

  public init(id: String, path: String, encoding: CharsetName? = nil) {
    (self.id, self.path, self.encoding) = (id, path, encoding)
  }

}

extension Configuration {
  /// The roots that cannot be looked through, and why. Blocks.
  package var rootProblems: [(root: String, text: String)] {
    library.roots.compactMap { root in
      StationDefinition.problemWithFolder(root.path).map { (root.id, "root \(root.id): \($0)") }
    }
  }
}

extension LibrarySettings {
  static let rows: [KeyRow<LibrarySettings>] = [
    KeyRow(
      name: "roots", schema: Schema.text, read: { $1.roots = MusicRoot.read($0) },
      json: { _ in .null }, differs: { $0.roots != $1.roots }, keys: MusicRoot.rows.trees()),
    KeyRow("rescan", \.rescan, .duration(ConfigurationLimits.rescan)),
    KeyRow("watch", \.watch, .word),
    KeyRow("missing", \.missing, .duration(ConfigurationLimits.missing)),
    KeyRow("measure", \.measure, .word),
  ]
}

extension MusicRoot {
  /// Every root is looked through in its turn, and watched.
  private static let countMax = 64

  static let rows: [KeyRow<MusicRoot>] = [
    KeyRow("id", \.id, .stationID, missing: "write a name for the folder, such as main"),
    KeyRow("path", \.path, .musicFolder, missing: "write \(ValueRule.musicFolder.wanted)"),
    KeyRow("encoding", \.encoding, .oneCharset),
  ]

  /// Reads `roots:`.
  static func read(_ library: SettingReader) -> [MusicRoot] {
    var known: [(root: MusicRoot, reader: SettingReader)] = []
    for reader in library.entries("roots", max: countMax, known: rows.names()) {
      var root = MusicRoot(id: "", path: "")
      rows.read(reader, into: &root)
      if root.id.isEmpty || root.path.isEmpty { continue }
      if known.contains(where: { $0.root.id == root.id }) {
        reader.report("\"\(root.id)\" is already the id of another root", key: "id")
      }
      for (other, otherReader) in known {
        if root.path == other.path {
          reader.report("is root \(other.id) already; leave one of them out", key: "path")
        } else if PrivateFolder.isInside(root.path, other.path) {
          reader.report("is inside root \(other.id); name the outer one only", key: "path")
        } else if PrivateFolder.isInside(other.path, root.path) {
          otherReader.report("is inside root \(root.id); name the outer one only", key: "path")
        }
      }
      known.append((root, reader))
    }
    return known.map(\.root)
  }
}

extension ValueRule where Value == String {
  /// The rule for a folder of music; the path is what it is for the kernel, written in one way.
  fileprivate static var musicFolder: ValueRule {
    let wanted = "the path of a folder, beginning with a slash"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      let text = try ValueRule.absolutePath.parse(text)
      let parts = text.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        .filter { $0 != "." }
      guard !parts.contains("..") else {
        throw InvalidValue(quoting: text, "leads back by ..; write the path without it")
      }
      guard !parts.isEmpty else { throw InvalidValue("is the whole machine; name a folder in it") }
      return "/" + parts.joined(separator: "/")
    }
  }
}
