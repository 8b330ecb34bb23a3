import Longwave
import Wire

/// The body of `PUT /api/v1/stations/ID/metadata`: `title`, `artist` and `url`; only `title` is required.
enum TitleBody {
  static func title(_ json: JSON) throws(APIError) -> Title {
    guard case .object(let members) = json else { throw APIError.badJSON }
    var texts: [String: String] = [:]
    for member in members where member.value != .null {
      let known = ["title", "artist", "url"]
      guard known.contains(member.key) else {
        throw APIError.unknownKey(member.key, among: known)
      }
      guard case .string(let text) = member.value else {
        throw APIError.badField(member.key, "write a text")
      }
      texts[member.key] = text
    }
    guard let title = texts["title"], !title.isEmpty else {
      throw APIError.badField("title", "say what is playing")
    }
    let artist = texts["artist"].flatMap { $0.isEmpty ? nil : $0 }
    return Title(
      text: [artist, title].compactMap { $0 }.joined(separator: " - "), url: texts["url"] ?? "",
      parts: TitleParts(artist: artist, title: title))
  }
}
