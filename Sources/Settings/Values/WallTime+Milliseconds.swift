import Timeshift
import Wire

extension WallTime {
  /// Makes a moment of milliseconds since 1970, limited to the years 1970 to 2200.
  package init(milliseconds: Int64) {
    self.init(nanoseconds: milliseconds.saturatingMultiply(1_000_000))
  }
}
