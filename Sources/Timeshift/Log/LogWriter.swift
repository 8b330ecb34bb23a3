import Wire

/// The writing end of a log. A log has one at a time, so that two programmes are never woven into one log.
///
/// Used on one thread. After `end()` another writer may have the log, and this one's calls do nothing.
public final class LogWriter {
  public let log: PacketLog
  private let draft: LogDraft
  private var isEnded = false

  init(_ log: PacketLog, _ draft: LogDraft) {
    self.log = log
    self.draft = draft
  }

  /// Makes a log without a disk, beginning at position 0, and its writer.
  public convenience init(memoryOnly configuration: LogConfiguration, at now: Moment) {
    let log = PacketLog(memoryOnly: configuration, at: now)
    guard let draft = log.claimDraft() else { preconditionFailure("a new log has no writer") }
    self.init(log, draft)
  }

  deinit { end() }

  /// Gives the log back. Packets written and not published wait for the next writer.
  public func end() {
    guard !isEnded else { return }
    isEnded = true
    draft.endProgramme()
    log.writerEnds()
  }

  /// Adds a packet of 1 to 131,072 bytes that lasts less than 6 s. A changed format makes a format mark.
  public func append(_ packet: Span<UInt8>, samples: Int, format: AudioFormat) {
    guard !isEnded else { return }
    draft.append(packet, samples: samples, format: format)
  }

  /// Begins a new stream at the next packet. A decoder that starts there or later needs `headers` first.
  ///
  /// `headers` has at most 262,144 bytes. Makes a format mark even if the format is unchanged.
  public func markHeaders(_ headers: [UInt8]) {
    precondition(headers.count <= FormatMark.headersMax, "stream headers are short")
    guard !isEnded else { return }
    draft.markHeaders(headers)
  }

  /// Sets the title from the next packet on; an unchanged title makes no mark.
  public func markTitle(_ title: Title) {
    guard !isEnded else { return }
    draft.markTitle(title)
  }

  /// Sets a title that became known late, from `point` on. Readers see it with the next packet.
  ///
  /// `point` is where a packet begins: behind the newest title's, and before where the next packet goes.
  public func markTitle(_ title: Title, at point: LogPoint) {
    guard !isEnded else { return }
    draft.markTitle(title, at: point)
  }

  /// Marks `seconds` of wall time as missing in front of the next packet.
  public func markGap(seconds: Double, cause: GapCause) {
    guard !isEnded else { return }
    draft.markGap(seconds: seconds, cause: cause)
  }

  /// Sets where the next packet stands in the log of the relay it comes from; the packets behind it follow there as
  /// here. Nil: unknown.
  public func markOrigin(_ place: RelayPlace?) {
    guard !isEnded else { return }
    draft.markOrigin(place)
  }

  /// Says where in its original's programme the next packet of a rendition is heard; those behind it follow there as
  /// here. Nil: unknown.
  ///
  /// A place that follows from the mark before makes none.
  public func markProgramme(_ place: ProgrammePlace?) {
    guard !isEnded else { return }
    draft.markProgramme(place)
  }

  /// Lets readers see the appended packets.
  public func publish(at now: Moment) {
    guard !isEnded else { return }
    log.publish(draft, at: now)
  }

  /// The point of the next packet: its position and media time, ahead of what is published.
  public var edge: LogPoint { draft.edge }

  /// The position of the newest title mark, published or not; nil before the first.
  public var titlePosition: UInt64? { draft.titlePosition }
}

extension PacketLog {
  /// Returns the writing end; nil while another writer has it.
  public func writer() -> LogWriter? { claimDraft().map { LogWriter(self, $0) } }
}
