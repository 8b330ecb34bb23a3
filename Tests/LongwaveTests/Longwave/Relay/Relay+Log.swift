import Timeshift

@testable import Longwave

extension Relay {
  /// The log of a station, to write into it or to look at it.
  func log(of id: String) -> PacketLog? { stations[id]?.log }
}
