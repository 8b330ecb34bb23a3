/// How a key's value is shown to people.
struct Showing: Sendable {
  /// Whether no text of the value is ever shown.
  let isWhole: Bool
  private let shown: @Sendable (String) -> String

  init(isWhole: Bool = false, _ shown: @escaping @Sendable (String) -> String) {
    (self.isWhole, self.shown) = (isWhole, shown)
  }

  static let hidden = Showing(isWhole: true) { _ in Secrecy.mask }

  /// Returns a text of the value without its secrets. Longer texts are no values, and not worth a look.
  func callAsFunction(_ text: String) -> String {
    text.utf8.count > Secrecy.textBytesMax ? Secrecy.mask : shown(text)
  }
}
