import Server
import Wire

/// Answers requests that are not for audio or a playlist: figures, events, administration, sources.
///
/// `LongwaveAPI` has the one that Longwave's own program uses, `.http`.
public struct RelayInterface: Sendable {
  /// Makes the interface from the relay that it asks, the rights of a request, and the limits on wrong guesses.
  package typealias Maker =
    @Sendable (_ relay: Relay, _ rights: AdminRights, _ limits: GuessLimits) -> any APIHandling

  package let make: Maker

  package init(_ make: @escaping Maker) { self.make = make }

  /// Streams, clips, files on demand and playlists only: everything else is 404.
  public static let none = RelayInterface { _, _, _ in NoInterface() }
}

/// An interface without requests of its own: the server has only what its loops answer.
struct NoInterface: APIHandling {
  func respond(to request: APIRequest) async -> APIResponse {
    .whole(
      status: 404, mediaType: ErrorBody.mediaType,
      body: ErrorBody.json(
        code: "not-found", message: "There is nothing at \(request.head.path)."))
  }
}
