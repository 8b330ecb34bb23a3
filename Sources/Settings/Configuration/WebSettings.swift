/// `web:`, the pages for browsers.
public struct WebSettings: Hashable, Sendable {
  /// Whether there are pages.
  public var isEnabled = true
  /// Name that the pages bear.
  public var title = "Longwave"
  /// Whether there is a dashboard among them.
  public var hasDashboard = true
  /// Origins whose pages may frame the small player, such as `https://example.org`; `*` stands for all.
  public var embedders = ["*"]
  /// A picture beside the name; nil for ours.
  public var logo: WebPicture?
  /// The browser's icon of the pages, and of the apps that they may become; nil for ours.
  public var icon: WebPicture?
  /// What the pages' colours are made of where no picture says another; nil for ours.
  public var colour: WebColour?
  /// In the foot of the pages, in this order.
  public var links: [WebLink] = []
  /// A text in the foot of the pages.
  public var footer: String?

  /// Most origins: all stand in a field of each answer.
  static let embeddersMax = 32

  public init() {}
}

extension ValueRule<String> {
  /// The rule for who may frame pages: a source of CSP's `frame-ancestors` (https://www.w3.org/TR/CSP3/#grammardef-host-source)
  /// that cannot end the field or begin another directive.
  static var embedder: ValueRule {
    let wanted = "an origin such as https://example.org or https://*.example.org, or \"*\""
    let isHostCharacter = { @Sendable (character: Character) in
      character.isASCII
        && (character.isLetter || character.isNumber || "-.:*[]".contains(character))
    }
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      let host = ["https://", "http://"].first { text.hasPrefix($0) }
        .map { text.dropFirst($0.count) }
      let isOrigin =
        host.map { host in
          (1...253).contains(host.count)
            && host.allSatisfy { isHostCharacter($0) }
        } ?? false
      guard isOrigin || text == "*" else {
        throw InvalidValue(quoting: text, "is no origin; write \(wanted)")
      }
      return text
    }
  }
}
