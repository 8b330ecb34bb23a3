import Longwave
import Threads
import Wire

/// The disk space that recordings by schedule need, in addition to the windows.
extension ConfigurationReport {
  struct Folders: Sendable {
    var data: MachineFacts.Folder
    var recordings: MachineFacts.Folder
    var silent = SilentFolders()

    /// Returns the bytes that are missing on the disks; on one shared disk the windows and the recordings both need
    /// room.
    func missing(windows: Double, recordings wanted: Double) -> Double {
      let windows = max(0, windows - Double(data.bytesUsed))
      let wanted = max(0, wanted - Double(recordings.bytesUsed))
      let (free, other) = (Double(data.bytesFree), Double(recordings.bytesFree))
      if data.volume == recordings.volume { return max(0, windows + wanted - free) }
      return max(0, windows - free) + max(0, wanted - other)
    }
  }

  /// Makes a report that includes the folders; a folder that does not answer is not read.
  static func looking(
    _ configuration: Configuration, data: String, openFiles: Int = openFilesLimit(),
    _ silent: SilentFolders = SilentFolders()
  ) -> ConfigurationReport {
    let recordings = configuration.recordings.folder(inData: data)
    let windows = data + "/stations"
    return ConfigurationReport(
      configuration, data: data, openFiles: openFiles,
      folders: Folders(
        data: [data, windows].first(where: silent.hold).map { .silent($0) }
          ?? MachineProbe.data(data),
        recordings: silent.hold(recordings)
          ? .silent(recordings) : MachineProbe.recordings(recordings, data: data),
        silent: silent))
  }

  /// Throws the problems of a configuration, or reports what it would run. A folder that does not answer is reported,
  /// and its contents are not checked.
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
      var report = looking(configuration, data: data, silent)
      try report.requireNoProblem()
      if report.isWhole {
        report.misfits = configuration.fallbackMisfits(data: data)
        report.forecasts = configuration.musicForecasts(data: data)
      }
      return report
    }
  }

  /// Whether all folders could be checked.
  public var isWhole: Bool { folders?.silent.isEmpty ?? true }

  var rules: [RecordingRule] { configuration.stations.flatMap(\.recordingRules) }

  /// The bytes of disk for scheduled recordings that are deleted again; recordings kept for ever do not count.
  var recordingsNeeded: Double {
    rules.reduce(0) { $0 + Double($1.recordingsKept ?? 0) * Self.audioBytes($1) }
  }

  /// The bytes that are added every week and never deleted.
  var recordingsWeekly: Double {
    rules.filter { $0.recordingsKept == nil }
      .reduce(0) { $0 + Double($1.times.days.count) * Self.audioBytes($1) }
  }

  /// Returns the bytes of one recording by a schedule's entry.
  private static func audioBytes(_ rule: RecordingRule) -> Double {
    let bytes = Double(rule.times.seconds) * bitrateAssumed * 1000 / 8
    return rule.bytesMax.map { min(bytes, Double($0)) } ?? bytes
  }

  var recordingLines: [String] {
    if rules.isEmpty { return [] }
    let limit = Double(configuration.recordings.diskLimit)
    let assumed =
      "at \(Int(bounded: Self.bitrateAssumed)) kbit/s, \(HumanText.bytes(limit)) allowed"
    let weekly =
      "\(HumanText.bytes(recordingsWeekly)) more every week, which nothing deletes: write keep:"
    // No recording is deleted again, so only the weekly growth counts.
    if recordingsNeeded == 0 { return ["recordings \(weekly)", "           \(assumed)"] }
    var lines = ["recordings \(HumanText.bytes(recordingsNeeded)) needed \(assumed)"]
    if recordingsWeekly > 0 { lines.append("           and \(weekly)") }
    if recordingsNeeded > limit {
      lines.append("           less than needed: recordings end before their time")
    }
    return lines
  }

  var freeLines: [String] {
    guard let folders else { return [] }
    if !folders.silent.isEmpty {
      return folders.silent.paths.map { "silent     \($0): \(SilentFolders.reason)" } + [
        "           its files were not looked at; \(SilentPath.advice)"
      ]
    }
    let free = HumanText.bytes(Double(folders.data.bytesFree))
    let other = HumanText.bytes(Double(folders.recordings.bytesFree))
    let isOne = folders.data.volume == folders.recordings.volume
    let line = "free       \(free)" + (isOne ? "" : " for the windows, \(other) for recordings")
    return [line] + (missing > 0 ? ["           \(HumanText.bytes(missing)) too little"] : [])
  }

  /// The bytes that are missing on the disks.
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
  /// The most recordings that exist at once, including the running one; nil when none is ever deleted.
  fileprivate var recordingsKept: Int? {
    let week = 7 * 86_400.0
    let inTime = keep.seconds.map {
      Int(bounded: ($0 / week * Double(times.days.count)).rounded(.up))
    }
    guard let kept = [inTime, keep.count].compactMap(\.self).min() else { return nil }
    return kept + 1
  }
}
