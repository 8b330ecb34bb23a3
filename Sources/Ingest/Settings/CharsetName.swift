import Glibc
import Wire

/// The name of a charset that this machine can read, as iconv knows it.
public struct CharsetName: Hashable, Sendable, CustomStringConvertible {
  /// The name in lower case.
  public let name: String

  public var description: String { name }

  /// Charsets that radio stations use; for messages and suggestions. iconv knows hundreds.
  public static let common = [
    "utf-8", "latin1", "windows-1252", "windows-1250", "windows-1251", "windows-1253",
    "windows-1254", "windows-1255", "windows-1256", "iso-8859-2", "iso-8859-5", "iso-8859-9",
    "iso-8859-15", "koi8-r", "koi8-u", "shift_jis", "euc-jp", "gbk", "gb18030", "big5", "euc-kr",
    "tis-620",
  ]

  /// Accepts a charset's name.
  ///
  /// - Throws: if iconv does not know the name, or titles cannot be in the charset. `';` must be those two bytes, and
  ///   the charset must have more letters than ASCII.
  public init(_ name: String) throws(UnknownCharset) {
    let name = name.lowercased()
    self.name = name
    guard builtIn == nil else { return }
    // iconv accepts "utf8//IGNORE" and other suffixes behind a slash, and an empty name for the locale's charset.
    let isPlain = name.utf8.allSatisfy { Self.nameBytes.contains($0) }
    guard isPlain, (1...40).contains(name.utf8.count) else {
      throw UnknownCharset(name: name, cause: .unknown)
    }
    let converter = try CharsetConverter(self)
    guard converter.isForTitles else { throw UnknownCharset(name: name, cause: .notForTitles) }
  }

  /// Accepts a name from an untrusted source, if pages are written in the charset. Nil for any other, and for one that
  /// this machine lacks.
  ///
  /// iconv knows a thousand names, among them of tables it reads from disk and of codes that are no text.
  init?(known name: String) {
    guard name.utf8.count <= 40, let known = Self.known(name), let charset = try? CharsetName(known)
    else { return nil }
    self = charset
  }

  private static func known(_ name: String) -> String? {
    let name = name.lowercased()
    return strangers[name] ?? (strangers.values.contains(name) ? name : nil)
  }

  /// The names that pages use (WHATWG Encoding, section 4.2), with iconv's names.
  private static let strangers: [String: String] = {
    var names = [
      "utf-8": "utf-8", "utf8": "utf-8", "latin1": "latin1", "latin-1": "latin1",
      "l1": "latin1", "cp819": "latin1", "koi8": "koi8-r", "koi": "koi8-r", "koi8_r": "koi8-r",
      "koi8-r": "koi8-r", "koi8-u": "koi8-u", "koi8-ru": "koi8-u", "shift_jis": "shift_jis",
      "shift-jis": "shift_jis", "sjis": "shift_jis", "x-sjis": "shift_jis",
      "ms_kanji": "shift_jis", "windows-31j": "cp932", "cp932": "cp932", "euc-jp": "euc-jp",
      "x-euc-jp": "euc-jp", "gbk": "gbk", "x-gbk": "gbk", "gb2312": "gbk", "gb_2312-80": "gbk",
      "cp936": "gbk", "gb18030": "gb18030", "big5": "big5", "big5-hkscs": "big5-hkscs",
      "cn-big5": "big5", "x-x-big5": "big5", "euc-kr": "euc-kr", "ks_c_5601-1987": "euc-kr",
      "korean": "euc-kr", "cp949": "cp949", "uhc": "cp949", "tis-620": "tis-620",
      "windows-874": "cp874", "cp874": "cp874", "macintosh": "macintosh", "cp437": "cp437",
      "cp850": "cp850", "cp852": "cp852", "cp866": "cp866", "ibm866": "cp866",
    ]
    for number in 1250...1258 {
      for form in ["windows-", "cp", "x-cp", "windows"] {
        names["\(form)\(number)"] = "windows-\(number)"
      }
    }
    // There is no twelfth part.
    for number in 1...16 where number != 12 {
      for form in ["iso-8859-", "iso8859-", "iso_8859-", "iso8859"] {
        names["\(form)\(number)"] = "iso-8859-\(number)"
      }
    }
    return names
  }()

  private static let nameBytes = Array("abcdefghijklmnopqrstuvwxyz0123456789-_.:+".utf8)

  /// Reads bytes in this charset, one text after another; not for two threads at once.
  public var reader: ([UInt8]) -> String {
    if let builtIn { return builtIn.decodeInvalid }
    // The charset could be opened when the configuration was read. If the system is out of memory now, a guess is
    // better than no text.
    guard let converter = try? CharsetConverter(self) else {
      return Charset.windows1252.decodeInvalid
    }
    return converter.text
  }

  /// The charset if Wire reads it without iconv.
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
