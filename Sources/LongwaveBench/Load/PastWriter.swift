import Foundation
import Timeshift
import Wire

/// Writes a station's past to the disk, as a relay leaves it that has run for that long.
enum PastWriter {
  /// The most titles written. A log remembers some thousands, which at a few minutes each are more than a week.
  private static let titles = 2000.0

  /// Writes hours of stamped frames that end now, with titles, into the log's own folder.
  static func write(seconds: Double, bitrate: Int, to directory: String) throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let storage = Storage(syncInterval: 3600)
    var now = Moment.now().adding(seconds: -seconds)
    let log = try PacketLog.open(
      directory: directory,
      configuration: LogConfiguration(retention: MediaTime(seconds: seconds + 3600)),
      storage: storage, at: now, report: { _ in })
    guard let writer = log.writer() else { preconditionFailure("nobody else has this log") }
    var frames = StampedFrames(bitrate: bitrate)
    let titleSeconds = Int(max(BenchTitle.seconds, seconds / Self.titles))
    for second in 1...Int(seconds) {
      if second % titleSeconds == 1 {
        writer.markTitle(Title(text: BenchTitle.text(second / titleSeconds)))
      }
      while frames.number < StampedFrames.frames(in: Double(second)) { append(to: writer, &frames) }
      now = now.adding(seconds: 1)
      writer.publish(at: now)
      // The storage runs before anything leaves the memory, where 32 s are kept.
      if second % 8 == 0 { storage.runOnce(at: now.monotonic) }
    }
    writer.end()
    log.close()
  }

  private static func append(to writer: LogWriter, _ frames: inout StampedFrames) {
    var frame: [UInt8] = []
    // The stamp 0 is before every connect, so the frame never counts as one sent to a present listener.
    frames.append(to: &frame, stamp: 0)
    let format = AudioFormat(
      codec: .mp3, sampleRate: StampedFrames.sampleRate, channels: StampedFrames.channels)
    writer.append(frame.span, samples: StampedFrames.samplesPerFrame, format: format)
  }
}
