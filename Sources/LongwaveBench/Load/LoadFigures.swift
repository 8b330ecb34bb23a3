import Histogram

/// What a load process has seen; those of several add up.
struct LoadFigures: Codable, Sendable {
  /// Listeners that were to connect.
  var asked = 0
  /// Refused, answered other than with 200, or without a first byte at the end.
  var unserved = 0
  /// Closed by the server after their first byte.
  var closedEarly = 0
  /// Without a byte of audio in the whole window.
  var silent = 0
  var lost: UInt64 = 0
  var repeated: UInt64 = 0
  var torn: UInt64 = 0
  var badBlocks = 0
  /// ICY blocks with a title.
  var titles = 0
  /// Listeners whose stream began inside a frame.
  var startedInside = 0
  /// Of audio and blocks, within the window.
  var windowBytes: UInt64 = 0
  /// Whole frames within the window.
  var windowFrames: UInt64 = 0
  /// The longest time without audio in the window, of each who was served.
  var silence = LatencyHistogram.latencies
  /// When the last of those who are still there heard audio again, monotonic nanoseconds.
  var silenceEnd: Int64 = 0
  /// From the first connection on until everybody had a first byte, or was given up.
  var settledSeconds = 0.0
  /// Since the connection was begun, of all listeners.
  var firstByte = LatencyHistogram.latencies
  /// Of frames stamped after their listener's connect, within the window.
  var latency = LatencyHistogram.latencies

  /// What one listener has seen of its stream.
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

  /// Anything that no listener should ever see, in words; empty: nothing.
  var errors: [String] {
    let counts: [(String, UInt64)] = [
      ("unserved", UInt64(unserved)), ("closed early", UInt64(closedEarly)),
      ("silent", UInt64(silent)), ("frames lost", lost), ("repeated", repeated), ("torn", torn),
      ("bad ICY", UInt64(badBlocks)),
    ]
    return counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
  }
}
