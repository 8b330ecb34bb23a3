import Timeshift
import Wire

// Tests write here and there, and take the writing end for each call.
extension PacketLog {
  public func append(_ packet: Span<UInt8>, samples: Int, format: AudioFormat) {
    write { $0.append(packet, samples: samples, format: format) }
  }

  public func markHeaders(_ headers: [UInt8]) { write { $0.markHeaders(headers) } }
  public func markTitle(_ title: Title) { write { $0.markTitle(title) } }

  public func markTitle(_ title: Title, at point: LogPoint) {
    write { $0.markTitle(title, at: point) }
  }

  public func markGap(seconds: Double, cause: GapCause) {
    write { $0.markGap(seconds: seconds, cause: cause) }
  }

  public func publish(at now: Moment) { write { $0.publish(at: now) } }

  public var writerPosition: UInt64 { write(\.edge.position) }
  public var writerMedia: MediaTime { write(\.edge.media) }
  public var writerTitlePosition: UInt64? { write(\.titlePosition) }

  private func write<Result>(_ body: (LogWriter) -> Result) -> Result {
    let writer = onlyWriter()
    defer { writer.end() }
    return body(writer)
  }

  /// Of a log that nobody else writes.
  public func onlyWriter() -> LogWriter {
    guard let writer = writer() else { preconditionFailure("something else writes into this log") }
    return writer
  }
}
