/// A station that was added by command and is left out of a start, as the store has it.
struct LeftOutStation: Hashable, Sendable {
  var id: String
  /// The definition, which has not been parsed.
  var json: String
}
