import TestSupport

/// JSON that is odd by its shape, and values of fields as they stand in a body.
enum HostileJSON {
  /// Bodies as long as a request's may be (64 KiB), and shorter ones.
  private static let lengths = [3_800, 65_000]

  static let shapes: [[UInt8]] =
    lengths.flatMap { length in
      [
        nested("[", "]", length), nested(#"{"a":"#, "}", length), nested(#"[{"a":"#, "}]", length),
        filled("[", "1,", "1]", length), filled("[", "[],", "[]]", length),
        filled("[", "{},", "{}]", length), filled("{", #""a":1,"#, #""a":1}"#, length),
        wide(length), filled(#"{"action":""#, "a", #""}"#, length),
        [UInt8](repeating: 32, count: length),
        filled("", "9", "", length), filled("\"", "\\u0000", "\"", length),
        filled("\"", "\\\"", "\"", length), [UInt8](repeating: UInt8(ascii: "["), count: length),
        filled(#"{"a":"#, #"[{"b":"#, "", length), [UInt8](repeating: 0, count: length),
        filled("1", "0", "", length), filled("0.", "0", "1", length),
      ]
        + [16, 100, 500].flatMap { depth in
          [deepAndWide("[", "]", depth, length), deepAndWide(#"{"a":"#, "}", depth, length)]
        }
    }
    + [
      "", "null", "true", "1", "\"\"", "[]", "{}", "[{}]", "{", "}", "{\"", "{\"a\"", "{\"a\":}",
      "[,]",
      "{,}", "nul", "{\"a\":1,}", "{a:1}", "{'a':1}", "\u{FEFF}{}", "{}{}", "{} x", "// x", "NaN",
      "{\"a\":1e999}", "{\"\":\"\"}", "{\"\\ud800\":1}", "{\"a\":\"\\udfff\"}", "[1e400]",
      "{\"action\":\"pause\",\"action\":\"live\"}", "-", "--1", "01", "1.", "\"\\x\"", "\"\n\"",
    ].map { Array($0.utf8) } + [[0xFF, 0xFE, 0x7B, 0, 0x7D, 0], [0xC3, 0x28]]

  private static func nested(_ open: String, _ close: String, _ length: Int) -> [UInt8] {
    let count = length / (open.utf8.count + close.utf8.count)
    let texts = [open, "1", close]
    return Array((String(repeating: texts[0], count: count) + texts[1]).utf8)
      + Array(String(repeating: texts[2], count: count).utf8)
  }

  /// So deep, and wide at the bottom of it.
  private static func deepAndWide(
    _ open: String, _ close: String, _ depth: Int, _ length: Int
  ) -> [UInt8] {
    let count = max(1, (length - depth * (open.utf8.count + close.utf8.count)) / 2)
    let wide = "[" + String(repeating: "1,", count: count) + "1]"
    return Array(
      (String(repeating: open, count: depth) + wide + String(repeating: close, count: depth)).utf8)
  }

  private static func filled(
    _ start: String, _ middle: String, _ end: String, _ length: Int
  ) -> [UInt8] {
    let count = (length - start.utf8.count - end.utf8.count) / middle.utf8.count
    return Array((start + String(repeating: middle, count: count) + end).utf8)
  }

  /// An object of many members.
  private static func wide(_ length: Int) -> [UInt8] {
    let members = (0..<length / 12).map { "\"k\($0)\":\($0 % 10)" }
    return Array(("{" + members.joined(separator: ",") + "}").utf8)
  }

  /// A field's values as JSON: bare where they look like it, in quotes, in lists, and of other types.
  static func values(for name: String, good: [String]) -> [[UInt8]] {
    let texts = good.flatMap(HostileValues.variants) + HostileValues.values(for: name)
    let bare = HostileValues.numbers.map { Array($0.utf8) }
    let first = quoted(Array((good.first ?? "x").utf8))
    let lists = [2, 16, 64, 257, 300, 1000].map { count in
      [UInt8(ascii: "[")] + Array(repeatElement(first, count: count).joined(separator: [44]))
        + [UInt8(ascii: "]")]
    }
    return bare + lists + shapes.filter { $0.count < 5000 } + objects + texts.map(quoted)
  }

  /// So many of a field's values come before its texts.
  static let specials =
    HostileValues.numbers.count + 6 + shapes.count { $0.count < 5000 } + objects.count

  private static let objects = [
    #"[null]"#, #"[[]]"#, #"[[["a"]]]"#, #"{"a":{"b":null}}"#, #"["a",1,true,null,{}]"#,
    #"{"url":{}}"#,
    #"{"from":"18:00"}"#, #"{"from":"24:00","to":"-1:00"}"#,
    #"{"url":"http://127.0.0.1:1/","kind":"json"}"#,
  ].map { Array($0.utf8) }

  /// Bytes between quotes; what is no UTF-8 stays as it is.
  static func quoted(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = [UInt8(ascii: "\"")]
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case 0..<32:
        let digits = String(byte, radix: 16)
        text += Array(("\\u00" + (byte < 16 ? "0" : "") + digits).utf8)
      default: text.append(byte)
      }
    }
    return text + [UInt8(ascii: "\"")]
  }
}
