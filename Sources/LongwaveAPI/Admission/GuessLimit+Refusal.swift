import Longwave
import Server

// The refusal of requests from addresses that have guessed too often.
extension GuessLimit {
  static var refusal: APIError {
    var error = APIError(429, "too-many-guesses", refusalText)
    error.headers["Retry-After"] = "60"
    return error
  }
}
