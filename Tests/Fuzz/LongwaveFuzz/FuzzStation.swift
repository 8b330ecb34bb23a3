import TestSupport
import Timeshift

@testable import Ingest
@testable import Wire

extension FuzzTarget {
  /// A station's upstreams from their bodies to its log: whatever a parser lets through, the log takes.
  static let station = FuzzTarget(name: "station", seeds: oggSeeds.map { [5] + $0 } + frameSeeds) {
    bytes in
    var input = FuzzInput(bytes)
    let kind = input.byte()
    let (whole, _) = input.whole()
    let stream = kind & 1 == 1 ? oggStream(whole) : whole
    var lengths = FuzzInput(Array(bytes.dropFirst().prefix(2)) + stream)
    let (_, pieces) = lengths.whole()
    var configuration = LogConfiguration()
    configuration.windowBytes = 1 << 20
    var clock = FuzzClock()
    let log = PacketLog(memoryOnly: configuration, at: clock.moment)
    play(pieces, lostEvery: kind >> 1, to: log, &clock)
    hold(log)
  }

  /// After so many pieces the connection is lost, and the next one begins with the same.
  private static func play(
    _ pieces: [[UInt8]], lostEvery count: Int, to log: PacketLog, _ clock: inout FuzzClock
  ) {
    let settings = UpstreamSettings(urls: ["http://a/"])
    let appender = Appender(writer: log.onlyWriter(), settings: settings) { _ in }
    appender.recall(at: clock.moment)
    let connections = count > 0 ? [Array(pieces.prefix(count)), pieces] : [pieces]
    for pieces in connections {
      var pipeline = Pipeline(metaint: nil, hint: nil, titles: TitleReader(settings))
      appender.begin()
      for piece in pieces where !pipeline.isBad {
        appender.take(pipeline.feed(piece.span), at: clock.moment)
        clock.pass(0.1)
      }
      appender.decide(at: clock.moment)
      appender.interrupted(at: clock.moment)
      clock.pass(3)
    }
  }

  /// What listeners are given of it is whole.
  private static func hold(_ log: PacketLog) {
    let snapshot = log.snapshot()
    guard let format = snapshot.format else { return promise(log.isEmpty, "audio of no format") }
    promise(log.edge.media.seconds > 0 || log.isEmpty, "audio that does not last")
    promise(format.codec.isOgg != snapshot.headers.isEmpty, "headers of \(format)")
    if format.codec.isOgg {
      let read = OggHeaders.read(pages: snapshot.headers.span)
      promise(read?.headers.format == format, "headers of another format than \(format)")
    }
    for mark in log.titles(limit: 100) {
      promise(!mark.title.text.hasControls, "a control in \(mark.title)")
    }
  }

  private static let frameSeeds: [[UInt8]] = [
    [0, 200, 200] + NumberedFrames.stream(0..<9), [6, 99, 9] + NumberedFrames.stream(0..<9),
  ]
}

/// Time that passes when it is told to.
private struct FuzzClock {
  private var nanoseconds: Int64 = 1_000_000_000_000

  var moment: Moment {
    Moment(
      wall: WallTime(nanoseconds: nanoseconds), monotonic: MonotonicTime(nanoseconds: nanoseconds))
  }

  mutating func pass(_ seconds: Double) { nanoseconds += Int64(seconds * 1e9) }
}
