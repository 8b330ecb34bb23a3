import Wire

/// A writer that is no upstream: a studio, a looping file, silence, a rendition.
///
/// A feed appends packets that are known, so nothing is stitched. A paced feed says for how long no more packets may
/// come, by the clock that goes on while the machine sleeps; an unpaced one accepts any. One thread at a time uses it.
package final class Feed {
  private let writer: LogWriter
  /// The pace; nil for an unpaced feed.
  private var brake: LeadBrake?
  /// The shortest pause, in seconds.
  private let piece: Double
  /// - Parameters:
  ///   - lead: seconds that the log may be ahead of real time; nil: unpaced.
  ///   - piece: seconds of audio fed at a time, once the log is full.
  package init(_ writer: LogWriter, lead: Double? = nil, piece: Double = 0.25) {
    self.writer = writer
    self.piece = piece
    brake = lead.map { LeadBrake(leadMax: $0, drain: 1) }
  }

  package var log: PacketLog { writer.log }
  /// The point of the next packet: its position and media time, ahead of what is published.
  package var edge: LogPoint { writer.edge }

  /// Gives the log back; another writer may follow.
  package func end() { writer.end() }

  // MARK: Programme

  /// Adds a packet of 1 to 131,072 bytes that lasts less than 6 s.
  package func append(
    _ packet: Span<UInt8>, samples: Int, format: AudioFormat, at now: Moment
  ) {
    writer.append(packet, samples: samples, format: format)
    brake?.appended(
      seconds: MediaTime(samples: samples, rate: format.sampleRate).seconds, bytes: packet.count,
      at: now.sinceBoot)
  }

  package func append(_ packet: SilentPacket, at now: Moment) {
    append(packet.bytes.span, samples: packet.samples, format: packet.format, at: now)
  }

  /// Begins a new stream at the next packet; a decoder needs `headers` first.
  package func markHeaders(_ headers: [UInt8]) { writer.markHeaders(headers) }

  /// Sets the title from the next packet on; an unchanged title makes no mark.
  package func markTitle(_ title: Title) { writer.markTitle(title) }

  /// Sets a title that became known late, from `point` on: where a packet begins, in front of the edge.
  ///
  /// - Returns: whether it stands there; a newer title keeps it out.
  package func markTitle(_ title: Title, at point: LogPoint) -> Bool {
    guard point.position < edge.position, writer.titlePosition.map({ $0 < point.position }) ?? true
    else { return false }
    writer.markTitle(title, at: point)
    return true
  }

  /// Marks `seconds` of wall time as missing in front of the next packet.
  package func markGap(seconds: Double, cause: GapCause) {
    writer.markGap(seconds: seconds, cause: cause)
  }

  /// Says where in its original's programme the next packet of a rendition is heard; nil: unknown.
  package func mark(programme place: ProgrammePlace?) { writer.markProgramme(place) }

  /// Lets readers see the appended packets.
  package func publish(at now: Moment) { writer.publish(at: now) }

  // MARK: Pace

  /// Seconds for which no more packets may come; nil if packets are accepted now.
  package func pause(at now: Moment) -> Double? { brake?.pause(least: piece, at: now.sinceBoot) }

  /// Seconds by which the log has fallen behind real time, because no packets came or the machine slept.
  ///
  /// They are not caught up: the next packet is on air now.
  package func behind(at now: Moment) -> Double { brake?.behind(at: now.sinceBoot) ?? 0 }
}
