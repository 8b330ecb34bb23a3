import Timeshift
import Wire

// Runs of listeners that have a session. Nothing is worked out for others.
extension Fanout {
  /// - Parameter start: first packet that the listener gets.
  func beginRun(of listener: Listener, at start: LogPoint) {
    runs[listener.slot] = Run(since: Moment.now().wall, start: start)
  }

  /// Counts what the connection was sent, before the listener jumps.
  func endRun(of listener: Listener, in shard: MountShard) {
    guard let run = runs[listener.slot] else { return }
    let sent = shard.reader.media(at: listener.cursor).map { max(.zero, $0 - run.start.media) }
    runs[listener.slot]?.before = sent.flatMap { sent in run.before.map { $0 + sent } }
  }

  /// Goes on where a jump has led.
  func goOnRun(of listener: Listener, at point: LogPoint) {
    guard runs[listener.slot] != nil else { return }
    runs[listener.slot]?.start = point
    runs[listener.slot]?.since = Moment.now().wall
    runs[listener.slot]?.jumps += 1
  }

  /// Counts audio that is not in the log. How long it lasts is known for MP3 only.
  func lengthenRun(of listener: Listener, by audio: [UInt8]) {
    guard let run = runs[listener.slot], !audio.isEmpty else { return }
    runs[listener.slot]?.before = run.before.flatMap { before in
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
