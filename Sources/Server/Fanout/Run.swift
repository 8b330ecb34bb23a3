import Timeshift
import Wire

/// What a listener's connection was sent, so that the clock of its player can be read as a place in the log.
///
/// A player's clock counts decoded audio from 0. So it is at `start.media + clock − before` in the log.
struct Run {
  /// Time when the connection began, or last jumped.
  var since: WallTime
  /// First packet that was sent then.
  var start: LogPoint
  /// Jumps since the connection began.
  var jumps = 0
  /// Audio that the connection was sent before `start`, or that is not in the log; nil when unknown.
  var before: MediaTime? = .zero

  /// Counts what the connection was sent, before the listener jumps.
  ///
  /// - Parameter cursor: the next packet's media time; nil when it is not known.
  mutating func end(at cursor: MediaTime?) {
    let sent = cursor.map { max(.zero, $0 - start.media) }
    before = sent.flatMap { sent in before.map { $0 + sent } }
  }

  /// Goes on where a jump has led.
  mutating func goOn(at point: LogPoint, now: WallTime) {
    start = point
    since = now
    jumps += 1
  }

  /// Counts audio that is not in the log. How long it lasts is known for MP3 only.
  mutating func lengthen(by audio: [UInt8]) {
    before = before.flatMap { before in
      MPEGHeader.length(ofFrames: audio).map { before + $0 }
    }
  }
}

extension MPEGHeader {
  /// Returns how long whole frames last; nil when the bytes are anything else.
  fileprivate static func length(ofFrames bytes: [UInt8]) -> MediaTime? {
    var length = MediaTime.zero
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let header = MPEGHeader(in: Array(rest.prefix(Self.bytes)).span),
        let count = header.frameBytes, count > 0, count <= rest.count
      else { return nil }
      length += MediaTime(samples: header.samples, rate: header.sampleRate)
      rest = rest.dropFirst(count)
    }
    return length
  }
}
