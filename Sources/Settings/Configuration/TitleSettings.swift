import Ingest
import Wire

/// Values of `metadata-encoding`.
enum EncodingWord {
  case auto
  case detect
  case twice
  case named(CharsetName)

  var isDetect: Bool { if case .detect = self { true } else { false } }
}

extension ValueRule where Value == EncodingWord {
  static var encoding: ValueRule {
    let wanted = "auto, detect, utf-8-twice, or a charset such as windows-1251 or shift_jis"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      let words = ["auto", "detect", "utf-8-twice"]
      switch text {
      case "auto": return .auto
      case "detect": return .detect
      case "utf-8-twice": return .twice
      default: return .named(try CharsetName.read(text, further: words))
      }
    }
  }
}

extension ValueRule where Value == CharsetName {
  static var charset: ValueRule {
    ValueRule(wanted: "charsets, such as [windows-1251, koi8-r]") { text throws(InvalidValue) in
      try CharsetName.read(text, further: [])
    }
  }
}

extension ValueRule where Value == CharsetName {
  static var oneCharset: ValueRule {
    ValueRule(wanted: "a charset such as windows-1251 or shift_jis") { text throws(InvalidValue) in
      try CharsetName.read(text, further: [])
    }
  }
}

extension ValueRule where Value == TitlePattern {
  static var titlePattern: ValueRule {
    let wanted = "a pattern in quotes, such as \"{artist} - {title}\""
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      do throws(TitlePatternProblem) {
        return try TitlePattern(text)
      } catch {
        throw InvalidValue("\(error)")
      }
    }
  }
}

extension SettingReader {
  /// Reads `metadata-encoding` and its candidates; nil when it is not given, or wrong, which has been noted.
  func encoding() -> TextEncoding? {
    var word: EncodingWord?
    read("metadata-encoding", into: &word, .encoding)
    var candidates: [CharsetName] = []
    readList("metadata-candidates", into: &candidates, .charset)
    if field("metadata-candidates") != nil, word?.isDetect != true {
      report("is for detection; write metadata-encoding: detect too", key: "metadata-candidates")
    }
    switch word {
    case nil: return nil
    case .auto: return .auto
    case .twice: return .twice
    case .named(let charset): return .named(charset)
    case .detect where candidates.count > 1: return .detect(candidates)
    case .detect:
      report(
        "detect chooses between charsets; list two or more in metadata-candidates:",
        key: "metadata-encoding")
      return nil
    }
  }
}

extension TextEncoding {
  /// The value of `metadata-encoding`.
  var word: String {
    switch self {
    case .auto: "auto"
    case .twice: "utf-8-twice"
    case .named(let charset): charset.name
    case .detect: "detect"
    }
  }

  /// The value of `metadata-candidates`.
  var candidates: [String] {
    if case .detect(let charsets) = self { charsets.map(\.name) } else { [] }
  }
}

extension CharsetName {
  fileprivate static func read(
    _ text: String, further words: [String]
  ) throws(InvalidValue) -> CharsetName {
    do throws(UnknownCharset) {
      return try CharsetName(text)
    } catch {
      let meant = KeySuggestion.nearest(to: text, among: words + CharsetName.common)
      let advice = meant.map { "did you mean \($0)?" } ?? "iconv -l lists those there are"
      throw InvalidValue("\(error); \(advice)", quoting: error.name)
    }
  }
}
