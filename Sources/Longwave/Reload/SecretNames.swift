/// Which keys, and which parameters of URLs, hold secrets, by their names.
enum SecretNames {
  /// Words that make any name that holds them a secret's; header lines often are passwords.
  static let words = [
    "token", "password", "passwd", "secret", "credential", "cookie", "authorization", "header",
  ]
  /// Parts of a name, between dashes, that make it a secret's.
  private static let parts: Set<String> = [
    "key", "pass", "passphrase", "passcode", "passwort", "passw", "pswd", "pwd", "pw", "bearer",
    "jwt", "sig", "signature",
  ]
  /// Keys of the configuration whose values are files; the files hold the secrets.
  private static let files: Set<String> = ["key", "htpasswd"]
  /// Keys that hold secrets, for slips of the hand.
  private static let own = ["token", "tokens", "password", "source-password", "request-headers"]
  /// All keys of a configuration.
  private static let known = Set(
    ConfigurationKeys.top + ConfigurationKeys.sections.flatMap(\.keys) + ["tls", "auth"])
  /// Letters of a name that can be a misspelt key.
  private static let (nameMin, nameMax) = (4, 32)

  /// Whether a name is one of secrets, in letters of either case.
  static func isSecret(_ name: String) -> Bool {
    let name = name.lowercased()
    // A program's arguments may be passwords.
    if name == "command" { return true }
    if words.contains(where: name.contains) || name.hasSuffix("apikey") { return true }
    let split = name.split { $0 == "-" || $0 == "_" || $0 == "." }
    return split.contains { parts.contains(String($0)) || isKey($0) }
  }

  /// Whether a part is a kind of key, such as `streamkey`; it is not, where it is a word of its own.
  private static func isKey(_ part: Substring) -> Bool {
    part.hasSuffix("key") && !["monkey", "turkey", "donkey", "hockey", "whiskey"].contains(part)
  }

  /// Whether a parameter of a URL holds a secret: an `auth` does too, for it is no section here.
  static func isSecret(parameter name: String) -> Bool {
    let name = name.lowercased()
    return isSecret(name) || name == "auth"
  }

  /// Whether the value behind a secret's name is hidden: not where it is the path of the file that holds the secret.
  static func hides(_ name: String, before value: Substring) -> Bool {
    isSecret(name) && !(files.contains(name.lowercased()) && isPath(value))
  }

  /// Whether the value behind a key of YAML that is no secret's by its name is hidden: where nobody knows the key, but it
  /// may mean a secret's, or the value itself looks like one.
  static func hides(otherKey name: String, before value: Substring) -> Bool {
    let name = name.lowercased()
    if name == "auth" { return value.first { $0 != " " }.map { !"{[#&|>".contains($0) } ?? false }
    guard isUnknown(name) else { return false }
    return looksRandom(value)
      || name.utf8.count >= nameMin && KeySuggestion.nearest(to: name, among: own) != nil
  }

  static func isUnknown(_ name: String) -> Bool {
    !known.contains(name.lowercased()) && name.utf8.count <= nameMax
  }

  /// Whether a value is the path of a file with an ending, and nothing else.
  private static func isPath(_ value: Substring) -> Bool {
    let path = word(of: value)
    let name = path[(path.lastIndex(of: "/") ?? path.startIndex)...]
    return path.first == "/" && name.dropFirst(2).contains(".")
      && path.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-/".contains($0)) }
  }

  /// Whether a value looks made by a machine, or by somebody who was told to use digits: 8 letters and digits or more.
  static func looksRandom(_ value: Substring) -> Bool {
    let word = word(of: value)
    let isPlain = word.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (97...122).contains(byte | 32) || "+/=_-.".utf8.contains(byte)
    }
    return word.utf8.count >= 8 && isPlain && word.first != "/"
      && word.contains(where: \.isNumber) && word.contains(where: \.isLetter)
  }

  /// Returns the first word of a value, without quotes and brackets before it.
  private static func word(of value: Substring) -> Substring {
    value.drop { " \t\"'[{".contains($0) }.prefix { !" \t\"',]}".contains($0) }
  }
}
