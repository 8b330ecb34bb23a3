import Threads
import Wire

/// What recordings by schedule take, beside the windows.
extension ConfigurationReport {
  struct Folders: Sendable {
    var data: MachineFacts.Folder
    var recordings: MachineFacts.Folder
    var silent = SilentFolders()

    /// Bytes that are missing on a disk; on one disk both need their part.
    func missing(windows: Double, recordings wanted: Double) -> Double {
      let windows = max(0, windows - Double(data.bytesUsed))
      let wanted = max(0, wanted - Double(recordings.bytesUsed))
      let (free, other) = (Double(data.bytesFree), Double(recordings.bytesFree))
      if data.volume == recordings.volume { return max(0, windows + wanted - free) }
      return max(0, windows - free) + max(0, wanted - other)
    }
  }

  /// Looks at the folders, too, but for those that do not answer.
  static func looking(
    _ configuration: Configuration, data: String, openFiles: Int = openFilesLimit(),
    _ silent: SilentFolders = SilentFolders()
  ) -> ConfigurationReport {
    let recordings = RecordingSpace(configuration.recordings, data: data).folder
    let windows = data + "/stations"
    return ConfigurationReport(
      configuration, data: data, openFiles: openFiles,
      folders: Folders(
        data: [data, windows].first(where: silent.hold).map { .silent($0) }
          ?? MachineProbe.folder(data, windows: windows),
        recordings: silent.hold(recordings)
          ? .silent(recordings) : MachineProbe.recordings(recordings, data: data),
        silent: silent))
  }

  /// Throws what is wrong with a configuration, and says what it would run. A folder that does not answer is told of, and
  /// what is in it is not looked at.
  public static func checking(
    _ configuration: Configuration, data: String
  ) async throws(ConfigurationError) -> ConfigurationReport {
    try await checking(configuration, data: data, answers: SilentFolders.question)
  }

  static func checking(
    _ configuration: Configuration, data: String, answers: @escaping SilentFolders.Question
  ) async throws(ConfigurationError) -> ConfigurationReport {
    let silent = await SilentFolders.find(configuration, data: data, answers: answers)
    return try await Blocking.run { () throws(ConfigurationError) in
      let report = looking(configuration, data: data, silent)
      try report.requireNoProblem()
      return report
    }
  }

  /// Whether it has looked at all there is to be looked at.
  public var isWhole: Bool { folders?.silent.isEmpty ?? true }

  var rules: [RecordingRule] { configuration.stations.flatMap(\.record) }

  /// Bytes of disk for what schedules record and delete again; what is kept for ever is not among it.
  var recordingsNeeded: Double {
    rules.reduce(0) { $0 + Double($1.recordingsKept ?? 0) * Self.audioBytes($1) }
  }

  /// Bytes that come every week and stay.
  var recordingsWeekly: Double {
    rules.filter { $0.recordingsKept == nil }
      .reduce(0) { $0 + Double($1.days.count) * Self.audioBytes($1) }
  }

  /// Of one time.
  private static func audioBytes(_ rule: RecordingRule) -> Double {
    let bytes = rule.seconds * bitrateAssumed * 1000 / 8
    return rule.bytesMax.map { min(bytes, Double($0)) } ?? bytes
  }

  var recordingLines: [String] {
    if rules.isEmpty { return [] }
    let limit = Double(configuration.recordings.diskLimit)
    let assumed =
      "at \(Int(bounded: Self.bitrateAssumed)) kbit/s, \(HumanText.bytes(limit)) allowed"
    let weekly =
      "\(HumanText.bytes(recordingsWeekly)) more every week, which nothing deletes: write keep:"
    // Nothing that is kept for a while only.
    if recordingsNeeded == 0 { return ["recordings \(weekly)", "           \(assumed)"] }
    var lines = ["recordings \(HumanText.bytes(recordingsNeeded)) needed \(assumed)"]
    if recordingsWeekly > 0 { lines.append("           and \(weekly)") }
    if recordingsNeeded > limit {
      lines.append("           less than needed: what is recorded then ends before its time")
    }
    return lines
  }

  var freeLines: [String] {
    guard let folders else { return [] }
    if !folders.silent.isEmpty {
      return folders.silent.paths.map { "silent     \($0): \(SilentFolders.reason)" } + [
        "           what is in there was not looked at; \(SilentFolders.advice)"
      ]
    }
    let free = HumanText.bytes(Double(folders.data.bytesFree))
    let other = HumanText.bytes(Double(folders.recordings.bytesFree))
    let isOne = folders.data.volume == folders.recordings.volume
    let line = "free       \(free)" + (isOne ? "" : " for the windows, \(other) for recordings")
    return [line] + (missing > 0 ? ["           \(HumanText.bytes(missing)) too little"] : [])
  }

  /// Bytes.
  private var missing: Double {
    folders?.missing(
      windows: min(diskNeeded, Double(configuration.timeshift.diskLimit)),
      recordings: min(recordingsNeeded, Double(configuration.recordings.diskLimit))) ?? 0
  }

  var recordingsJSON: JSON {
    [
      "needed": JSON(UInt64(bounded: recordingsNeeded)),
      "weekly": JSON(UInt64(bounded: recordingsWeekly)),
      "allowed": JSON(configuration.recordings.diskLimit),
      "free": JSON(folders?.recordings.bytesFree),
    ]
  }
}

extension RecordingRule {
  /// So many are there at once, with the one that is being recorded; nil: ever more.
  fileprivate var recordingsKept: Int? {
    let week = 7 * 86_400.0
    let inTime = keep.seconds.map { Int(bounded: ($0 / week * Double(days.count)).rounded(.up)) }
    guard let kept = [inTime, keep.count].compactMap(\.self).min() else { return nil }
    return kept + 1
  }
}
