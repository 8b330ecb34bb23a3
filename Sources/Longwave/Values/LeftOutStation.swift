/// A station that was added by command and is left out of a start, with all that is kept of it.
struct LeftOutStation: Hashable, Sendable {
  var id: String
  /// The definition, which nobody has looked into.
  var json: String
}
