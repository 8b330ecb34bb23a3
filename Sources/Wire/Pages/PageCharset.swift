/// Finds the charset that a page itself names.
public enum PageCharset {
  /// Returns the `charset` of a Content-Type; nil without one.
  public static func named(inMediaType type: String) -> String? {
    for parameter in type.split(separator: ";").dropFirst() {
      let pair = parameter.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, pair[0].filter({ $0 != " " }).lowercased() == "charset" else {
        continue
      }
      let name = pair[1].filter { $0 != " " && $0 != "\"" && $0 != "'" }
      return name.isEmpty ? nil : String(name)
    }
    return nil
  }

  /// Returns the `encoding` of an XML declaration (XML 1.0, 4.3.3); nil without one.
  public static func named(inXML bytes: [UInt8]) -> String? {
    guard bytes.starts(with: "<?xml".utf8) else { return nil }
    let declaration = String(
      decoding: bytes.prefix(200).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
    guard let key = declaration.firstRange(of: "encoding") else { return nil }
    let rest = declaration[key.upperBound...].drop { $0 == " " || $0 == "=" }
    guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
    let name = rest.dropFirst().prefix { $0 != quote }
    return name.isEmpty ? nil : String(name)
  }
}
