import Wire

/// An entry of `web.links`: an address in the foot of the pages, such as that of the imprint.
public struct WebLink: Hashable, Sendable {
  public var name = ""
  /// A URL, a path of this server, or a mail address behind `mailto:`.
  public var url = ""

  public init() {}

  /// All stand in each page.
  private static let countMax = 16

  static let rows: [KeyRow<Self>] = [
    KeyRow(
      "name", \.name, .name(max: 64, wanted: "what the link is called"),
      missing: "write what the link is called"),
    KeyRow("url", \.url, .linkTarget, missing: "write where it leads"),
  ]

  /// Reads `links:` of the pages.
  static func read(_ web: SettingReader) -> [WebLink] {
    web.entries("links", max: countMax, known: rows.names()).map { reader in
      var link = WebLink()
      rows.read(reader, into: &link)
      return link
    }
  }
}

extension ValueRule<String> {
  /// The rule for where a link of a page leads: nothing that runs as a script.
  fileprivate static var linkTarget: ValueRule {
    let url = ValueRule.webURL(or: ", a path such as /imprint, or mailto: with an address")
    let wanted = url.wanted, mail = "mailto:"
    return ValueRule(wanted: wanted, secrecy: .inURL) { text throws(InvalidValue) in
      if text.hasPrefix(mail) {
        let address = text.dropFirst(mail.count).split(separator: "@", maxSplits: 1)
        guard text.utf8.count <= 2048, address.count == 2,
          text.utf8.allSatisfy({ $0 > 32 && $0 < 127 })
        else { throw InvalidValue(quoting: text, "has no address; write \(mail)name@example.org") }
        return text
      }
      guard text.hasPrefix("/") else { return try url.parse(text) }
      // To browsers, two slashes begin a host, and a backslash is a slash.
      guard !text.hasPrefix("//"), text.utf8.count <= 2048,
        text.utf8.allSatisfy({ $0 > 32 && $0 != 127 && $0 != UInt8(ascii: "\\") })
      else { throw InvalidValue(quoting: text, "is not \(wanted)") }
      return text
    }
  }
}
