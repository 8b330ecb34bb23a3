import Audio
import Server
import Timeshift
import Wire

/// The range of each number. The upper bounds keep a slip of the pen from becoming a plan.
package enum ConfigurationLimits {
  static let threads = 0...1024
  package static let listenersMax = 1...10_000_000
  /// 0 stands for what the limit on open files has room for, or a share of that.
  static let connectionsMax = 0...10_000_000
  /// Seconds, up to 366 days.
  static let window = 0.0...31_622_400
  /// 10 MB to 1000 TB.
  static let diskLimit: ClosedRange<UInt64> = 10_000_000...1_000_000_000_000_000
  /// Seconds, up to the longest window.
  static let delay = 1.0...31_622_400
  static let throttleBypass = 0.0...31_622_400
  package static let burst = 0.0...ListenerSettings.burstMax.seconds
  static let lagMax = 1.0...86_400
  static let pauseTimeout = 0.0...31_622_400
  /// Bytes; with more than 1 MiB a title comes a minute late.
  package static let metaint = ListenerSettings.metaintMin...1_048_576
  static let perAddress = 0...1_000_000
  /// Seconds; `shift: false` stands for less.
  static let offsetMax = 1.0...31_622_400
  static let clipSpeed = 0...10_000
  package static let listeningTime = 0.0...31_622_400
  /// Seconds; the servers of others are asked at most once a second.
  static let pollInterval = 1.0...3600
  static let pollTimeout = 0.5...60
  /// Seconds that files split by title go on before and behind their title.
  package static let overlap = 0.0...30
  /// 100 kB (some seconds of audio) to 1000 TB.
  package static let recordingSize: ClosedRange<UInt64> = 100_000...1_000_000_000_000_000
  /// Seconds; less than a minute deletes recordings that nobody has seen.
  package static let keep = 60.0...DurationText.secondsMax
  package static let keepCount = 1...1_000_000
  /// Seconds, up to a week.
  /// Less than an hour of music would be made again and again.
  static let renditions: ClosedRange<UInt64> = 100_000_000...1_000_000_000_000_000
  static let keepFree: ClosedRange<UInt64> = 0...1_000_000_000_000_000
  static let rescan = 60.0...604_800
  /// Seconds; less than a rescan would forget what is being moved.
  static let missing = 3600.0...DurationText.secondsMax
  static let sid = 1...2_147_483_647
  static let titleShift = -60.0...60
  /// Seconds: ten of the shortest segments, up to a week.
  static let hlsWindow = 20.0...604_800
  /// Seconds; the longest timeout keeps a session for a year.
  static let sessionTimeout = 0.0...31_622_400
  static let sessionsMax = 1...10_000_000
  static let runOn = 0.0...86_400
  /// Seconds; upstreams that send in bursts are silent for seconds.
  static let fallbackAfter = 1.0...3600
  /// dBFS.
  static let silence = -100.0 ... -1
  static let silenceHold = 0.5...3600
  /// LUFS; softer sound is dead air.
  static let loudness = LoudnessWatch.silence...0
  /// Seconds, at least those of a short-term loudness.
  static let loudnessHold = 3.0...3600
  /// kbit/s and Hz of MP3.
  static let encodedBitrate = 8...320
  static let encodedRate = 8_000...48_000
  /// LUFS.
  static let encodedLoudness = -40.0 ... -5
  static let clippedSamples = 1...100_000
  /// Stations in a file or a list: many times what one machine relays.
  package static let stationsMax = 10_000
  /// Entries in a list of stations, where several entries of one name are one station.
  package static let entriesMax = 100_000
  /// Upstreams of one station: each is tried after those before it have failed.
  package static let upstreamsMax = Bounds.upstreamsMax
  /// Entries of a command: the program and its arguments.
  static let argumentsMax = 64
  static let argumentBytesMax = 4096
  /// Events in a body.
  static let webhookBatch = 2...1000
  static let connectTimeout = 0.5...120
  package static let dataTimeout = 1.0...600
  /// Seconds; who waits longer has gone.
  static let prebuffer = 0.0...60
}
