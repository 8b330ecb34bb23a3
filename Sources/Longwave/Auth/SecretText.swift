import Wire

/// Texts that nobody guesses: 128 random bits as hexadecimal digits, in lower case.
enum SecretText {
  static func make() -> String {
    (0..<16).map { _ in UInt8.random(in: 0 ... .max) }.hexadecimal
  }

  /// Whether a text may be one, known or not.
  static func isForm(_ text: String) -> Bool {
    text.utf8.count == 32
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
