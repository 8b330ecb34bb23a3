import Foundation
import Ingest
import Longwave
import Threads
import Wire

extension StationCandidate {
  /// Reads all stations of a file, of standard input for `-`, or of a web address.
  public static func read(
    from place: String
  ) async throws(ConfigurationError) -> [StationCandidate] {
    if WebURL.isValid(place) { return try await fetch(place) }
    if place == "-" {
      let data = await Blocking.run { try? FileHandle.standardInput.readToEnd() }
      return try read(Array(data ?? Data()), name: "standard input")
    }
    return try read(Array(try NamedFile.contents(of: place)), name: place)
  }

  private static func fetch(_ url: String) async throws(ConfigurationError) -> [StationCandidate] {
    let shown = URLText.withoutSecrets(url)
    let reply: FetchReply
    do throws(FetchError) {
      reply = try await Blocking.run { () throws(FetchError) in
        try Fetch.request(
          url: url, headers: ["User-Agent: \(UpstreamSettings(urls: []).userAgent)"],
          bytesMax: StationList.bytesMax)
      }
    } catch {
      throw ConfigurationError(shown, "\(error)")
    }
    guard reply.status == 200 else {
      throw ConfigurationError(shown, "the server answered \(reply.status)")
    }
    // The ending of the URL's path counts like a file's ending.
    return try read(reply.body, name: shown, base: url)
  }
}
