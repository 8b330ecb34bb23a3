import Foundation
import Timeshift

extension WallTime {
  /// The same moment in Foundation's words, to some hundred nanoseconds.
  public var date: Date { Date(timeIntervalSince1970: seconds) }

  /// Held to the years 1970 to 2200.
  public init(_ date: Date) { self.init(seconds: date.timeIntervalSince1970) }
}
