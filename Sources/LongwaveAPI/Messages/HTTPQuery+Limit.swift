import Wire

extension HTTPQuery {
  /// Returns how many entries `limit` asks for.
  ///
  /// - Parameter usual: where nothing is said.
  func limit(upTo most: Int, usual: Int = 100) throws(APIError) -> Int {
    guard let text = self["limit"] else { return usual }
    guard let limit = Int(text, in: 1...most) else {
      throw APIError.badParameter("limit", "write a number from 1 to \(most)")
    }
    return limit
  }
}
