import Histogram

/// The figures of a load process; the figures of several processes can be added.
struct LoadFigures: Codable, Sendable {
  /// The listeners that were to connect.
  var asked = 0
  /// The listeners that were refused, answered other than with 200, or left without a first byte.
  var unserved = 0
  /// The listeners whose connection the server closed after their first byte.
  var closedEarly = 0
  /// The listeners without a byte of audio in the whole window.
  var silent = 0
  var lost: UInt64 = 0
  var repeated: UInt64 = 0
  var torn: UInt64 = 0
  var badBlocks = 0
  /// The number of ICY blocks with a title.
  var titles = 0
  /// The listeners whose stream began inside a frame.
  var startedInside = 0
  /// The bytes of audio and blocks in the window.
  var windowBytes: UInt64 = 0
  /// The number of whole frames in the window.
  var windowFrames: UInt64 = 0
  /// The longest time without audio in the window, for each served listener.
  var silence = LatencyHistogram.latencies
  /// When the last remaining listener heard audio again, in monotonic nanoseconds.
  var silenceEnd: Int64 = 0
  /// Seconds from the first connection until every listener had a first byte, or was given up.
  var settledSeconds = 0.0
  /// The time from the begin of a connection to its first byte, for all listeners.
  var firstByte = LatencyHistogram.latencies
  /// The latency of frames in the window that were stamped after their listener's connect.
  var latency = LatencyHistogram.latencies

  /// Adds the figures of one listener.
  mutating func add(_ listener: LoadListener) {
    if listener.frames.bytesBeforeFirst > 0 { startedInside += 1 }
    windowBytes += listener.windowBytes
    lost += listener.frames.lost
    repeated += listener.frames.repeated
    torn += listener.frames.torn
    badBlocks += listener.icy.badBlocks
    titles += listener.icy.titles
  }

  mutating func add(_ other: LoadFigures) {
    asked += other.asked
    unserved += other.unserved
    closedEarly += other.closedEarly
    silent += other.silent
    lost += other.lost
    repeated += other.repeated
    torn += other.torn
    badBlocks += other.badBlocks
    titles += other.titles
    startedInside += other.startedInside
    windowBytes += other.windowBytes
    windowFrames += other.windowFrames
    settledSeconds = max(settledSeconds, other.settledSeconds)
    silence.add(other.silence)
    silenceEnd = max(silenceEnd, other.silenceEnd)
    firstByte.add(other.firstByte)
    latency.add(other.latency)
  }

  /// The faults that no listener should ever see, in words; empty without any.
  var errors: [String] {
    let counts: [(String, UInt64)] = [
      ("unserved", UInt64(unserved)), ("closed early", UInt64(closedEarly)),
      ("silent", UInt64(silent)), ("frames lost", lost), ("repeated", repeated), ("torn", torn),
      ("bad ICY", UInt64(badBlocks)),
    ]
    return counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
  }
}
