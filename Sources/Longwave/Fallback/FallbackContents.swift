import Ingest
import Logging
import Reactor
import Threads
import Timeshift
import Wire

/// Makes a fallback that is no other station: a file in a loop, or silence.
///
/// Not Sendable: only the relay's actor has it.
final class FallbackContents {
  /// A log and its feed; the feed is nil when others write the log.
  typealias Content = (log: PacketLog, feed: FallbackFeed?)

  let looks: FallbackLooks
  private let paths: NamedPaths
  /// The thread that feeds logs.
  private let loop: EventLoop
  private let logger: Logger

  init(_ looks: FallbackLooks, _ paths: NamedPaths, on loop: EventLoop, logger: Logger) {
    (self.looks, self.paths, self.loop, self.logger) = (looks, paths, loop, logger)
  }

  /// Returns a file in a loop; nil while the file is being looked into.
  ///
  /// - Parameter own: the log of the station that the fallback is for.
  func file(
    _ path: String, for station: String, _ own: PacketLog, at now: MonotonicTime
  ) throws(RelayError) -> Content? {
    guard let format = try looks.format(ofFile: path, for: station, at: now) else { return nil }
    try Self.refuse(format, in: own)
    return content(.file(FallbackFile(path: path)), for: station)
  }

  /// Returns silence in the format of a station's own log.
  func silence(for station: String, _ own: PacketLog) async throws(RelayError) -> Content {
    guard let packet = await Self.silence(like: own) else {
      throw RelayError.badField(
        "fallback", "silence cannot be made in the station's format, or it has no audio yet")
    }
    return content(.silence(packet), for: station)
  }

  static func refuse(_ format: AudioFormat, in log: PacketLog) throws(RelayError) {
    guard let own = log.snapshot().format, format != own else { return }
    throw RelayError.badField("fallback", FallbackSetting.mismatch(format, own))
  }

  private func content(_ content: FallbackFeed.Content, for station: String) -> Content {
    let feed = FallbackFeed(content, paths, on: loop) { [logger] reason in
      logger.error("\(station): fallback: \(reason)")
    }
    return (feed.log, feed)
  }

  /// Seconds that reading the log's newest packets from the disk may take.
  private static let silencePatience = 2.0

  /// Returns a silent packet; nil when a decoder might stumble over it, or when there is no audio yet to imitate.
  private static func silence(like log: PacketLog) async -> SilentPacket? {
    await Blocking.run {
      Tap(log, from: .liveEdge).answer(within: silencePatience) { reader -> SilentPacket?? in
        switch reader.silence(before: reader.edge.position) {
        case .packet(let packet): .some(packet)
        case .impossible: .some(nil)
        case .loading: nil
        }
      } ?? nil
    }
  }
}
