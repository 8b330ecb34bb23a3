/// The two spellings of a key: `max-lag` in files, `maxLag` in JSON.
package enum SettingKey {
  package static func file(_ json: String) -> String {
    var name = ""
    for character in json {
      if character.isUppercase { name += "-" }
      name += character.lowercased()
    }
    return name
  }

  package static func json(_ file: String) -> String {
    let words = file.split(separator: "-")
    return words.dropFirst().reduce(String(words.first ?? "")) {
      $0 + $1.prefix(1).uppercased() + $1.dropFirst()
    }
  }
}
