import Wire

/// The writing end of a log, which has one at a time: two programmes are never woven into one log.
///
/// Used on one thread; from `end()` on another may have it, and what is still written here is dropped.
public final class LogWriter {
  public let log: PacketLog
  private let draft: LogDraft
  private var isEnded = false

  init(_ log: PacketLog, _ draft: LogDraft) {
    self.log = log
    self.draft = draft
  }

  /// Of a log that nobody else has yet: without a disk, beginning at position 0.
  public convenience init(memoryOnly configuration: LogConfiguration, at now: Moment) {
    let log = PacketLog(memoryOnly: configuration, at: now)
    self.init(log, log.firstDraft())
  }

  deinit { end() }

  /// Gives the log back. What was written and not published waits for the next writer.
  public func end() {
    guard !isEnded else { return }
    isEnded = true
    log.writerEnds()
  }

  /// Adds a packet of 1 to 32,768 bytes that lasts less than 6 s. A changed format is a format mark.
  public func append(_ packet: Span<UInt8>, samples: Int, format: AudioFormat) {
    guard !isEnded else { return }
    draft.append(packet, samples: samples, format: format)
  }

  /// The next packet begins a new stream, and whoever starts there or behind needs `headers` first: at most
  /// `LogConfiguration.headersMax` bytes. A format mark, also where the format stays.
  public func markHeaders(_ headers: [UInt8]) {
    precondition(headers.count <= LogConfiguration.headersMax, "stream headers are short")
    guard !isEnded else { return }
    draft.markHeaders(headers)
  }

  /// From the next packet on the title is `title`; the same as before is no new mark.
  public func markTitle(_ title: Title) {
    guard !isEnded else { return }
    draft.markTitle(title)
  }

  /// From `point` on the title has been `title`, as is known only now; readers see it with the next packet.
  ///
  /// `point` is where a packet begins: behind the newest title's, and before where the next packet goes.
  public func markTitle(_ title: Title, at point: LogPoint) {
    guard !isEnded else { return }
    draft.markTitle(title, at: point)
  }

  /// In front of the next packet `seconds` of wall time are missing.
  public func markGap(seconds: Double, cause: GapCause) {
    guard !isEnded else { return }
    draft.markGap(seconds: seconds, cause: cause)
  }

  /// Lets readers see what was appended.
  public func publish(at now: Moment) {
    guard !isEnded else { return }
    log.publish(draft, at: now)
  }

  /// Where the next packet goes, and when it will sound: ahead of what is published.
  public var edge: LogPoint { draft.edge }

  /// Where the newest title mark stands, published or not; nil before the first.
  public var titlePosition: UInt64? { draft.titlePosition }
}
