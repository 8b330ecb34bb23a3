/// Why a relay cannot be made or started: one line that says what to do about it.
public struct RelayError: Error, Sendable, CustomStringConvertible {
  public var description: String

  init(_ cause: some CustomStringConvertible) { description = cause.description }
}
