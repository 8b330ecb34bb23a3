/// A station that was added by command and is left out of a start, as the store has it.
package struct LeftOutStation: Hashable, Sendable {
  package var id: String
  /// The definition, which has not been parsed.
  package var json: String
}
