import Logging
import Wire

/// What the API needs to record.
protocol RecordingControl: Sendable {
  func recordings() async -> [RecordingEntry]
  /// The next one of each entry of the schedules, the soonest first.
  func plannedRecordings() async -> [PlannedRecording]
  func record(_ options: RecordingEntry.Options) async throws(APIError) -> RecordingEntry
  /// False: there is none of that number.
  func stopRecording(_ id: Int64) async throws(APIError) -> Bool
}

extension Relay: RecordingControl {
  func recordings() async -> [RecordingEntry] { await recordingDesk.list() }

  func record(_ options: RecordingEntry.Options) async throws(APIError) -> RecordingEntry {
    await turnstile.enter()
    defer { turnstile.leave() }
    guard let station = stations[options.station] else {
      throw APIError.unknownStation(options.station)
    }
    if station.log == nil {
      throw APIError(
        409, "station-of-files", "\"\(station.id)\" serves files: they are there already.",
        field: "station")
    }
    if !station.definition.allowsRecording {
      throw APIError(
        409, "record-off", "\"\(station.id)\" is not to be recorded; take away its record: false.",
        field: "station")
    }
    try RecordingDesk.refuseGone(options, from: station)
    var options = options
    options.zone = zone(of: station.definition).name
    let entry = try await recordingDesk.start(options, of: station)
    await wanted(station.id)
    let folder = await recordingDesk.space.folder
    logger.info("\(station.id): recording \(entry.id) into \(folder)")
    return entry
  }

  func stopRecording(_ id: Int64) async throws(APIError) -> Bool {
    try await recordingDesk.stop(id)
  }
}
