/// Titles as bytes in a stream: a length byte in units of 16 bytes, then text padded with NUL.
///
/// There is no standard. The text is `key='value';` repeated; nothing is escaped, and a value ends at its first `';`.
/// `StreamTitle` must come first: an Icecast that relays from this server ends its stream at a block that begins
/// otherwise. Blocks are written in UTF-8.
public enum ICYBlock {
  /// The block that says "nothing new".
  public static let empty: [UInt8] = [0]

  /// The most bytes of text that the length byte can express: 255 × 16.
  static let textBytesMax = 4080
  /// The most bytes of a title; leaves 252 bytes of the largest block to the address.
  static let titleBytesMax = 3800

  /// Returns the whole block for a title, its length byte included: 17 to 4,081 bytes.
  ///
  /// Control characters become spaces. `';` would end the value, so it becomes `’;`, or `%27;` in the address. A title
  /// longer than 3,800 bytes is cut between two characters. An address or an extra for which no room is left is
  /// omitted: a cut one would lead nowhere. Make the block once per title, not per listener.
  public static func bytes(for title: Title) -> [UInt8] {
    var text = Array("StreamTitle='".utf8)
    text += UTF8Text.prefix(escaped(title.text, quote: "\u{2019}"), bytes: titleBytesMax)
    text += "';".utf8
    let url = Array("StreamUrl='\(escaped(title.url, quote: "%27"))';".utf8)
    if !title.url.isEmpty && text.count + url.count <= textBytesMax { text += url }
    // Another Longwave that relays this stream reads no more fields than this.
    for extra in title.extras.prefix(fieldsMax - 2) {
      let field = Array("\(extra.key)='\(escaped(extra.value, quote: "\u{2019}"))';".utf8)
      if text.count + field.count <= textBytesMax { text += field }
    }

    let units = (text.count + 15) / 16
    return [UInt8(units)] + text + Array(repeating: 0, count: units * 16 - text.count)
  }

  private static func escaped(_ value: String, quote: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in value.unicodeScalars {
      if scalar == ";" && scalars.last == "'" {
        scalars.removeLast()
        scalars.append(contentsOf: quote.unicodeScalars)
      }
      scalars.append(scalar.isControl ? " " : scalar)
    }
    return String(scalars)
  }
}
