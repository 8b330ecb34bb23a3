import Longwave
import Server

extension OpenAPI {
  /// The description, made once because it never changes while the program runs.
  static let document = document(of: Operation.all)
  static let page = APIResponse.made("openapi", "application/json") { bytes }
  private static let bytes = document.bytes + [10]
}
