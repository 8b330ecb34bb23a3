import Timeshift
import Wire

@testable import Ingest

/// A better upstream that is heard beside the running one: its newest packets are kept, for the takeover.
struct SimulatedTrial {
  private(set) var connection: SimulatedConnection
  private(set) var held = HeldItems()
  private var headers: OggHeaders?
  private let endsAt: Double
  private static let settings = TrialSettings()

  init(_ connection: SimulatedConnection, at now: Double) {
    self.connection = connection
    endsAt = now + Self.settings.clean
  }

  mutating func step(
    _ upstream: inout SimulatedUpstream, _ now: Double, by seconds: Double, at moment: Moment
  ) {
    let wire = upstream.deliver(&connection, now, by: seconds)
    let arrivals = connection.pipeline.feed(wire.span)
    for item in arrivals.items {
      switch item {
      case .title(let title): held.append(title)
      case .headers(let next): headers = next
      case .lost(let seconds): held.lose(seconds)
      case .packet(let packet):
        let bytes = arrivals.bytes.span.extracting(packet.range)
        held.append(bytes, packet, hash: packetHash(bytes), headers: headers)
      }
    }
    held.trim(to: Self.settings.heldSeconds)
  }

  func isOver(_ now: Double) -> Bool { now >= connection.endsAt }

  /// It has played for long enough.
  func isClean(_ now: Double) -> Bool { now >= endsAt && !held.packets.isEmpty }
}
