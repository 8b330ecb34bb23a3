import Longwave
import Server
import Wire

/// A file of the pages that the operator gave: their logo, icon or colour.
struct HouseFile: Sendable {
  /// The name in its address, such as `logo.png`.
  let name: String
  let mediaType: String
  /// Names the content.
  let version: String
  let body: [UInt8]

  private init(_ stem: String, _ picture: WebPicture) {
    name = "\(stem).\(picture.ending)"
    (mediaType, version, body) = (picture.mediaType, picture.version, picture.bytes)
  }

  private init(style text: String) {
    (name, mediaType, body) = ("colour.css", "text/css; charset=utf-8", Array(text.utf8))
    version = EntityTag(of: body).opaque
  }

  static func logo(of house: WebSettings) -> HouseFile? {
    house.logo.map { HouseFile("logo", $0) }
  }

  static func icon(of house: WebSettings) -> HouseFile? {
    house.icon.map { HouseFile("icon", $0) }
  }

  /// The picture of pages on the first screen of a phone, where systems take no SVG: the icon, else the logo.
  static func touchIcon(of house: WebSettings) -> HouseFile? {
    [icon(of: house), logo(of: house)].compactMap(\.self).first { $0.mediaType == "image/png" }
  }

  /// The style sheet of the house's colour.
  static func colour(of house: WebSettings) -> HouseFile? {
    house.colour.map { HouseFile(style: Palette($0).css) }
  }

  /// What the address begins with where files of the program have their version alone.
  private static let prefix = "house-"

  var path: String { "/assets/\(Self.prefix)\(version)/\(name)" }

  /// Answers a request below `/assets/`; nil where it is for a file of the program. A page that was open while the
  /// configuration changed asks by an old version; it gets what there is now, and may not keep it.
  static func response(
    of house: WebSettings, version asked: String, _ name: String
  ) -> APIResponse? {
    guard asked.hasPrefix(prefix) else { return nil }
    let file = [logo(of: house), icon(of: house), colour(of: house)].compactMap(\.self)
      .first { $0.name == name }
    return file.map { $0.response(isKept: prefix + $0.version == asked) }
  }

  /// An SVG that is opened by itself runs nothing in this site's name.
  private static let sandbox = HTTPFields.Field(
    name: "Content-Security-Policy",
    value: "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox")

  func response(isKept: Bool) -> APIResponse {
    let cache = isKept ? CacheControl.immutable : CacheControl.none
    return .whole(
      status: 200, mediaType: mediaType, body: body,
      fields: [cache] + (mediaType == WebPicture.svgType ? [Self.sandbox] : []))
  }
}

extension WebSettings {
  /// The ground of pages, dark and light; without a colour that of base.css.
  var grounds: (dark: String, light: String) {
    colour.map { Palette($0).grounds } ?? ("#10161d", "#f4f8fc")
  }

  /// The settings of a page that bears nothing of the house but its name.
  var plain: WebSettings {
    var plain = self
    (plain.logo, plain.icon, plain.colour) = (nil, nil, nil)
    (plain.links, plain.footer) = ([], nil)
    return plain
  }
}
