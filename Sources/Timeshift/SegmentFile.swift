import Wire

/// A segment's two files by name.
final class SegmentFile: Sendable {
  let directory: String
  let start: LogPoint
  let format: AudioFormat

  init(directory: String, start: LogPoint, format: AudioFormat) {
    self.directory = directory
    self.start = start
    self.format = format
  }
}
