import Timeshift

/// What a station's log is opened as.
struct LogOrder: Sendable {
  let id: String
  /// Seconds of past to keep.
  let window: Double
  let cells: CellSettings
  /// The highest position that was ever given out.
  var told: UInt64 = 0
  private var numberStart: NumberStart?
  private var numberLeast: Int64 = 0

  init(_ id: String, window: Double, cells: CellSettings) {
    (self.id, self.window, self.cells) = (id, window, cells)
  }

  /// Lets the log go on in programme time and numbers where an earlier one had come, if it has no past or an older one.
  mutating func goOn(from note: NumberNote?, at now: Moment) {
    guard let note else { return }
    numberStart = note.start(at: now)
    numberLeast = note.least
  }

  /// - Parameter share: the station's share of the disk.
  func configuration(_ share: DiskShare) -> LogConfiguration {
    var configuration = share.configuration(window: window)
    configuration.cells = cells
    (configuration.numberStart, configuration.numberLeast) = (numberStart, numberLeast)
    return configuration
  }
}

extension NumberNote {
  /// How far a log has come; nil where nothing is known of its numbers yet.
  init?(of log: PacketLog, at now: Moment, isFinal: Bool) {
    guard let reached = log.numberReached ?? log.configuration.numberStart else { return nil }
    self.init(reached, at: now, isFinal: isFinal)
  }
}
