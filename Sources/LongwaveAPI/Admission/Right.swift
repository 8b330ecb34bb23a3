/// The right that a request has proved.
enum Right: Hashable, Sendable {
  case stranger
  case administrator
  /// A source, which may announce the titles of its station.
  case source(of: String)
}
