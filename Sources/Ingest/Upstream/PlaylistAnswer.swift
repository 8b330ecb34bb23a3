import Reactor
import Wire

/// An answer that is a text: a playlist, if it is one.
struct PlaylistAnswer: Sendable {
  var bytes: [UInt8]
  var mediaType: String?
  /// The URL that the text comes from.
  var url: String
  /// The scope of the server that sent it.
  var scope: AddressScope

  /// How the delivery that brought the text ends.
  var end: UpstreamEnd {
    if Playlist.isHLS(bytes) { return .notAudio(reason: Unplayed.hls) }
    guard let entries = Playlist.parse(bytes, mediaType: mediaType, url: url) else {
      return .notAudio(reason: "the answer is a text and no playlist")
    }
    if entries.isEmpty, String(decoding: bytes, as: UTF8.self).contains("alsa:") {
      return .notAudio(reason: Unplayed.input)
    }
    return entries.isEmpty ? .empty : .playlist(entries, from: scope)
  }
}
