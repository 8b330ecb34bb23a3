/// Commands that change a station's state, not its definition.
public enum StationCommand: String, Hashable, Sendable, CaseIterable {
  case start
  case stop
  case restart
}
