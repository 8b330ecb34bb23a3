import Foundation
import Timeshift
import Wire

/// Writes a station's past to the disk, as a relay leaves it that has run for that long. The past ends now.
struct PastWriter {
  private let storage = Storage(syncInterval: 3600)
  private let log: PacketLog
  private let writer: LogWriter
  private var now: Moment
  /// Seconds since the past began: of audio, and of what is missing.
  private var audio = 0.0
  /// The seconds of audio that readers may see.
  private var published = 0.0
  private var stored = 0.0

  /// - Parameters:
  ///   - directory: The log's own folder.
  ///   - seconds: From the beginning of the past until now.
  init(seconds: Double, to directory: String) throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    now = Moment.now().adding(seconds: -seconds)
    log = try PacketLog.open(
      directory: directory,
      configuration: LogConfiguration(retention: MediaTime(seconds: seconds + 3600)),
      storage: storage, at: now, report: { _ in })
    guard let writer = log.writer() else { preconditionFailure("nobody else has this log") }
    self.writer = writer
  }

  mutating func append(_ frame: Span<UInt8>, samples: Int, format: AudioFormat) {
    writer.append(frame, samples: samples, format: format)
    audio += Double(samples) / Double(format.sampleRate)
    if audio >= published + 1 { publish() }
  }

  func mark(_ title: Title) { writer.markTitle(title) }

  /// Leaves out so many seconds.
  mutating func skip(seconds: Double) {
    publish()
    writer.markGap(seconds: seconds, cause: .upstreamAway)
    now = now.adding(seconds: seconds)
  }

  mutating func close() {
    publish()
    writer.end()
    log.close()
  }

  private mutating func publish() {
    now = now.adding(seconds: audio - published)
    published = audio
    writer.publish(at: now)
    // The storage runs before anything leaves the memory, where 32 s are kept.
    guard audio >= stored + 8 else { return }
    stored = audio
    storage.runOnce(at: now.monotonic)
  }
}

extension PastWriter {
  /// The most titles written. A log remembers some thousands, which at a few minutes each are more than a week.
  private static let titlesMax = 2000.0

  /// Writes hours of stamped frames with titles.
  static func write(seconds: Double, bitrate: Int, to directory: String) throws {
    var past = try PastWriter(seconds: seconds, to: directory)
    var frames = StampedFrames(bitrate: bitrate)
    let format = AudioFormat(
      codec: .mp3, sampleRate: StampedFrames.sampleRate, channels: StampedFrames.channels)
    let titleSeconds = Int(max(BenchTitle.seconds, seconds / titlesMax))
    for second in 1...Int(seconds) {
      if second % titleSeconds == 1 {
        past.mark(Title(text: BenchTitle.text(second / titleSeconds)))
      }
      while frames.number < StampedFrames.frames(in: Double(second)) {
        var frame: [UInt8] = []
        // The stamp 0 is before every connect, so the frame never counts as one sent to a present listener.
        frames.append(to: &frame, stamp: 0)
        past.append(frame.span, samples: StampedFrames.samplesPerFrame, format: format)
      }
    }
    past.close()
  }
}
