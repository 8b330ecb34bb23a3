import Wire

/// A picture of the operator's for the pages: a file that is read with the configuration.
public struct WebPicture: Hashable, Sendable, CustomStringConvertible {
  /// The types that a browser's icon may have.
  static let iconTypes: Set = ["image/png", svgType]
  /// The types of pictures that pages show.
  static let types = iconTypes.union(["image/jpeg", "image/gif", "image/webp", "image/avif"])
  public static let svgType = "image/svg+xml"
  /// Every page's reader loads it.
  static let bytesMax = 1 << 20

  public let path: String
  public let mediaType: String
  public let bytes: [UInt8]
  /// Names the content, so that an address with it never changes its meaning.
  public let version: String

  init(path: String, mediaType: String, bytes: [UInt8]) {
    (self.path, self.mediaType, self.bytes) = (path, mediaType, bytes)
    version = EntityTag(of: bytes).opaque
  }

  /// Stands in keys of pages in place of the bytes.
  public var description: String { "\(path) \(version)" }

  /// The ending of a file of its type.
  public var ending: String {
    mediaType == Self.svgType ? "svg" : String(mediaType.drop { $0 != "/" }.dropFirst())
  }

  /// Width and height in pixels of a PNG, by its first chunk (https://www.w3.org/TR/png/#11IHDR); nil for other types.
  public var size: (width: Int, height: Int)? {
    guard mediaType == "image/png", bytes.count >= 24 else { return nil }
    func number(at place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
    return (number(at: 16), number(at: 20))
  }

  /// Returns the media type of a picture; nil for what is none.
  fileprivate static func type(of bytes: [UInt8]) -> String? {
    if let type = PictureType.of(bytes) { return type }
    // In front of the root stand a declaration and comments.
    let head = String(decoding: bytes.prefix(4096), as: UTF8.self)
    return head.drop { $0.isWhitespace || $0 == "\u{FEFF}" }.hasPrefix("<") && head.contains("<svg")
      ? svgType : nil
  }
}

extension WebPicture: SettingValue {
  var json: JSON { .string(path) }
}

extension ValueRule<WebPicture> {
  /// The rule for the path of a picture, which is read at once: a check of the configuration checks it too.
  static func picture(_ types: Set<String>, wanted: String) -> ValueRule {
    ValueRule(wanted: "the path of \(wanted)") { text throws(InvalidValue) in
      let path = try ValueRule<String>.absolutePath.parse(text)
      let bytes: [UInt8]
      do throws(ConfigurationError) {
        bytes = Array(try NamedFile.contents(ofFile: path, most: WebPicture.bytesMax))
      } catch {
        let reason = error.problems.first?.message ?? "cannot be read"
        throw InvalidValue("\(Secrecy.path(path)): \(reason)")
      }
      guard let type = WebPicture.type(of: bytes), types.contains(type) else {
        throw InvalidValue("\(Secrecy.path(path)) is not \(wanted)")
      }
      return WebPicture(path: path, mediaType: type, bytes: bytes)
    }
  }

  static var logo: ValueRule {
    picture(WebPicture.types, wanted: "a picture: PNG, SVG, JPEG, GIF, WebP or AVIF")
  }
  static var icon: ValueRule { picture(WebPicture.iconTypes, wanted: "a PNG or SVG picture") }
}
