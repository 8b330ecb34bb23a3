import TestSupport

/// The raw findings of a trial, and the figures that follow from them.
struct Measurement: Sendable {
  var load: LoadFigures
  /// When the upstream was reachable again, in monotonic nanoseconds; nil when it was not away.
  var upstreamBack: Int64?
  /// The time from the server's start until it answered with audio.
  var startSeconds: Double
  /// The server's CPU time from the first connection until every listener was served or given up.
  var connecting: CPUTime
  var usage: Usage
  /// What watchers of sound were told; nil without any.
  var told: SoundWatchers.Told?
  /// How late programmes were, in words; nil if none was.
  var lateness: String?
  var pssIdleKiB: UInt64?
  var pssLoadedKiB: UInt64?
  /// The TCP buffers of the whole machine near the window's end.
  var socketMemoryKiB: UInt64?
  /// The samples in the order of time; the last one is taken at the window's end.
  var samples: [Sample]
  /// The server's system calls per second; nil if they could not be counted.
  var systemCallsPerSecond: Double?

  /// The served listeners times the window's seconds.
  private var listenerSeconds: Double {
    Double(max(1, load.asked - load.unserved)) * usage.seconds
  }

  /// The figures of a row, named as in the JSON.
  var figures: RowFigures {
    let pss = pssIdleKiB.flatMap { idle in pssLoadedKiB.map { Double($0) - Double(idle) } }
    return RowFigures(
      listeners: load.asked, served: load.asked - load.unserved, windowSeconds: usage.seconds,
      serverMicroseconds: usage.server.total * 1e6 / listenerSeconds,
      serverUserMicroseconds: usage.server.user * 1e6 / listenerSeconds,
      serverSystemMicroseconds: usage.server.system * 1e6 / listenerSeconds,
      allInMicroseconds: usage.allInSeconds * 1e6 / listenerSeconds,
      serverCore: usage.server.total / usage.seconds,
      loadCore: usage.load.total / usage.seconds,
      upstreamCore: usage.upstream.total / usage.seconds,
      softirqCore: usage.softirq.total / usage.seconds, otherCores: usage.otherCores,
      bytesPerListenerSecond: Double(load.windowBytes) / listenerSeconds,
      pssIdleKiB: pssIdleKiB, pssLoadedKiB: pssLoadedKiB,
      kiBPerListener: pss.map { $0 / Double(max(1, load.asked - load.unserved)) },
      socketMemoryKiB: socketMemoryKiB, startSeconds: startSeconds,
      allServedSeconds: load.settledSeconds,
      connectMicroseconds: connecting.total * 1e6 / Double(max(1, load.asked - load.unserved)),
      systemCallsPerSecond: systemCallsPerSecond,
      voluntarySwitchesPerSecond: Double(usage.voluntarySwitches) / usage.seconds,
      involuntarySwitchesPerSecond: Double(usage.involuntarySwitches) / usage.seconds,
      firstByte: Quantiles(load.firstByte), latency: Quantiles(load.latency),
      frames: load.windowFrames, lost: load.lost, repeated: load.repeated, torn: load.torn,
      titles: load.titles, badBlocks: load.badBlocks, closedEarly: load.closedEarly,
      silent: load.silent, startedInside: load.startedInside, outage: outage, told: told,
      samples: samples)
  }

  private var outage: OutageFigures? {
    guard let upstreamBack else { return nil }
    let isHeard = load.silenceEnd > upstreamBack
    return OutageFigures(
      kept: load.asked - load.unserved - load.closedEarly, silence: Quantiles(load.silence),
      audioAgainSeconds: isHeard ? Double(load.silenceEnd - upstreamBack) / 1e9 : nil)
  }
}

/// A distribution in milliseconds; nil without any value.
struct Quantiles: Codable, Sendable {
  var p50, p99, p999, max: Double?

  init(_ histogram: LatencyHistogram) {
    p50 = histogram.milliseconds(at: 50)
    p99 = histogram.milliseconds(at: 99)
    p999 = histogram.milliseconds(at: 99.9)
    max = histogram.milliseconds(at: 100)
  }
}

/// The effect of the upstream's absence on listeners.
struct OutageFigures: Codable, Sendable {
  /// Listeners that are still connected at the window's end.
  var kept: Int
  /// The longest time without audio of each served listener.
  var silence: Quantiles
  /// Seconds from the upstream's return until the last remaining listener has audio; nil if no listener had to wait.
  var audioAgainSeconds: Double?
}

/// One row's figures. Microseconds are CPU per listener-second; cores are shares of one core.
struct RowFigures: Codable, Sendable {
  var listeners, served: Int
  var windowSeconds: Double
  var serverMicroseconds, serverUserMicroseconds, serverSystemMicroseconds: Double
  var allInMicroseconds: Double
  var serverCore, loadCore, upstreamCore, softirqCore, otherCores: Double
  var bytesPerListenerSecond: Double
  var pssIdleKiB, pssLoadedKiB: UInt64?
  var kiBPerListener: Double?
  var socketMemoryKiB: UInt64?
  /// Seconds from the server's start until it answered with audio.
  var startSeconds: Double
  /// Seconds from the first connection until every listener was served or given up.
  var allServedSeconds: Double
  /// The server's CPU time until then, per listener.
  var connectMicroseconds: Double
  var systemCallsPerSecond: Double?
  var voluntarySwitchesPerSecond, involuntarySwitchesPerSecond: Double
  var firstByte, latency: Quantiles
  var frames, lost, repeated, torn: UInt64
  var titles, badBlocks, closedEarly, silent, startedInside: Int
  /// The effect of the upstream's absence; nil if the upstream was there all the time.
  var outage: OutageFigures?
  /// What watchers of sound were told; nil without any.
  var told: SoundWatchers.Told?
  var samples: [Sample]
}
