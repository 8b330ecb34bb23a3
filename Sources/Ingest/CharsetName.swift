import Glibc
import Wire

/// A charset that this machine can read, by any name that iconv knows it by.
public struct CharsetName: Hashable, Sendable, CustomStringConvertible {
  /// Lower case.
  public let name: String

  public var description: String { name }

  /// What one meets in radio; for messages and suggestions, iconv knows hundreds.
  public static let common = [
    "utf-8", "latin1", "windows-1252", "windows-1250", "windows-1251", "windows-1253",
    "windows-1254", "windows-1255", "windows-1256", "iso-8859-2", "iso-8859-5", "iso-8859-9",
    "iso-8859-15", "koi8-r", "koi8-u", "shift_jis", "euc-jp", "gbk", "gb18030", "big5", "euc-kr",
    "tis-620",
  ]

  /// - Throws: where iconv does not know the name, or text in the charset cannot stand in a title: `';` has to be those
  ///   two bytes, and there must be more in it than ASCII.
  public init(_ name: String) throws(UnknownCharset) {
    let name = name.lowercased()
    self.name = name
    guard builtIn == nil else { return }
    // iconv takes "utf8//IGNORE" and other extras behind a slash, and the locale's charset for an empty name.
    let isPlain = name.utf8.allSatisfy { Self.nameBytes.contains($0) }
    guard isPlain, (1...40).contains(name.utf8.count) else {
      throw UnknownCharset(name: name, cause: .unknown)
    }
    let converter = try CharsetConverter(self)
    guard converter.isForTitles else { throw UnknownCharset(name: name, cause: .notForTitles) }
  }

  private static let nameBytes = Array("abcdefghijklmnopqrstuvwxyz0123456789-_.:+".utf8)

  /// The charset where Wire reads it without help.
  var builtIn: Charset? { Charset(name: name) }
}

/// A charset that cannot be used.
public struct UnknownCharset: Error, Hashable, CustomStringConvertible {
  public enum Cause: Sendable {
    case unknown
    case notForTitles
    /// iconv has no memory or no descriptors left.
    case system(errno: Int32)
  }

  public var name: String
  public var cause: Cause

  public var description: String {
    switch cause {
    case .unknown: "\"\(name)\" is not a charset that this machine knows"
    case .notForTitles: "titles cannot be in \"\(name)\", which is not ASCII with more letters"
    case .system(let code): "cannot open \"\(name)\": \(String(cString: strerror(code)))"
    }
  }

  public static func == (one: Self, other: Self) -> Bool { one.description == other.description }

  public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
