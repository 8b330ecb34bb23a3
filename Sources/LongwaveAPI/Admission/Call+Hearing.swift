import Longwave
import Server
import Wire

// What is made of a station's samples is told to those who may hear them.
extension Call {
  /// Says what the client may hear of a station, or throws why it may not hear it there. Administrators hear all.
  @discardableResult
  func hearing(of station: String, at place: HeardPlace = .live) async throws -> Hearing {
    if isAdmin { return Hearing() }
    // A station that is not there is not refused.
    _ = try await relay.stationSnapshot(station)
    do throws(HearingRefusal) {
      return try await relay.hearing(of: station, at: place, for: request)
    } catch {
      throw refusal(error)
    }
  }

  private func refusal(_ refusal: HearingRefusal) -> APIError {
    // The API offers Bearer only: a page's question must not make a browser ask for a password.
    if refusal.status == 401 { return admission.rights.access.refusalToHear(refusal.message) }
    var error = APIError(refusal.status, refusal.code, refusal.message)
    for field in refusal.fields { error.headers[field.name] = field.value }
    return error
  }
}
