import Wire

/// One thing that a tap yields, in the order of the audio. Marks at a packet come before the packet.
package enum TapItem {
  /// The format of the following packets, with the headers that a decoder needs first. Also yielded at the beginning.
  case format(FormatMark)
  case gap(GapMark)
  /// A title, at its exact packet. Also yielded at the beginning; a title that became known late has its own, earlier
  /// place.
  case title(TitleMark)
  /// A stretch in front of the next packet that cannot be read.
  case missed(TapLoss)
  case packet(TapPacket)
}

/// One packet as a tap yields it.
package struct TapPacket {
  /// Valid until the tap is asked for its next item.
  package var bytes: UnsafeRawBufferPointer
  package var start: LogPoint
  package var length: MediaTime
  /// The next packet's place.
  package var end: LogPoint {
    LogPoint(position: start.position + UInt64(bytes.count), media: start.media + length)
  }
}

/// The answer to a request for the next item without waiting.
package enum TapAnswer {
  case item(TapItem)
  /// There is nothing newer yet.
  case liveEdge
  /// Something is being fetched from the disk.
  case loading
  case suspended
  /// Nothing more comes: the range is over, or the tap was ended.
  case over
}

/// A stretch that a tap missed.
package struct TapLoss: Hashable, Sendable {
  package enum Cause: Hashable, Sendable {
    /// The stretch never reached the disk, or is damaged there.
    case hole
    /// The window gave the stretch up before the tap reached it.
    case overrun
    /// A crash took the stretch, and other audio has its positions or comes behind it.
    case restart
  }

  package var cause: Cause
  /// The media time that is missing.
  package var length: MediaTime
  /// The place at which the tap goes on.
  package var next: LogPoint

  package var seconds: Double { length.seconds }
}

/// The time that a tap has missed since it began, by cause.
package struct TapLosses: Hashable, Sendable {
  package private(set) var holes = MediaTime.zero
  package private(set) var overruns = MediaTime.zero
  package private(set) var restarts = MediaTime.zero
  package var all: MediaTime { holes + overruns + restarts }

  mutating func add(_ loss: TapLoss) {
    switch loss.cause {
    case .hole: holes += loss.length
    case .overrun: overruns += loss.length
    case .restart: restarts += loss.length
    }
  }
}
