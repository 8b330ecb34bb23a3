import Server
import Timeshift
import Wire

// Stations that serve files.
extension Relay {
  public func files(
    of id: String, isAdmin: Bool, for origin: APIRequest.Origin
  ) async throws(APIError) -> FileList {
    guard let definition = stations[id]?.definition else { throw APIError.unknownStation(id) }
    guard let source = definition.files else {
      throw APIError(404, "no-files", "The station \"\(id)\" is a stream; it has no files.")
    }
    if definition.auth != nil, !isAdmin {
      throw apiSettings.access.refusal(at: "/api/v1/stations/\(id)/files")
    }
    guard let files = await server?.files(of: source, for: origin) else {
      throw APIError(503, "unavailable", "The files of \"\(id)\" are not there.")
    }
    return files
  }
}

extension FileEntry {
  var json: JSON {
    [
      "path": .string(path), "bytes": JSON(bytes), "seconds": JSON(seconds),
      "mediaType": .string(mediaType), "modified": JSON(modified),
    ]
  }
}
