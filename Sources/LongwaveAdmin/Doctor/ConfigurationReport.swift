import Glibc
import Longwave
import Reactor
import Server
import Timeshift
import Wire

/// What a configuration would run; the result of `longwave config check`.
public struct ConfigurationReport: Sendable {
  let configuration: Configuration
  let data: String
  /// The hard limit on open files of this process.
  let openFiles: Int
  /// The current folders of the windows and of recordings; nil when they have not been checked.
  let folders: Folders?
  /// Fallbacks that do not fit what stations had last; empty when the windows have not been looked at.
  var misfits: [ConfigurationProblem] = []
  /// What programmes would play; empty when their folders have not been looked at.
  var forecasts: [MusicForecast] = []

  /// The bitrate in kbit/s that is assumed for a station without a known one.
  static let bitrateAssumed = 128.0
  /// The share of the index files: two to four bytes per packet and some per half second, in addition to the audio.
  static let indexShare = 0.02

  public init(
    _ configuration: Configuration, data: String,
    openFiles: Int = ConfigurationReport.openFilesLimit()
  ) {
    self.init(configuration, data: data, openFiles: openFiles, folders: nil)
  }

  init(_ configuration: Configuration, data: String, openFiles: Int, folders: Folders?) {
    self.folders = folders
    self.configuration = configuration
    self.data = data
    self.openFiles = openFiles
  }

  /// The bytes of disk for the windows of all stations.
  var diskNeeded: Double { windows.reduce(0) { $0 + Self.bytes(seconds: $1) } }

  /// The windows of the stations in seconds.
  private var windows: [Double] {
    configuration.stations.filter(\.hasOwnLog).map { configuration.window(of: $0) }
  }

  var files: FileBudget {
    FileBudget(
      openFiles: openFiles, windows: windows,
      hasMedia: configuration.stations.contains { $0.files != nil })
  }

  var listenersMax: Int {
    min(configuration.server.listenersMax, files.listenersPossible)
  }
}

extension ConfigurationReport {
  /// The report as lines for people.
  public var lines: [String] {
    let listen = configuration.server.listen.map(\.description).joined(separator: ", ")
    let isOpen = !configuration.admin.token.isEmpty
    return ["listen     \(listen)"] + tlsLines + sourceLines + ["data       \(data)"] + windowLines
      + recordingLines + freeLines + listenerLines
      + ["admin      \(isOpen ? "Unix socket, and TCP with the token" : "Unix socket only")"]
      + stationLines + musicLines + (idleKeys + holes + misfitLines).map { "  " + $0 }
  }

  private var tlsLines: [String] {
    guard let tls = configuration.server.tls else { return [] }
    let kinds = tls.isOnly ? "https only" : "http and https"
    return tls.pairs.map { "tls        \($0.certificate), \(kinds)" }
      + (tls.challenges.map { ["challenges \($0)"] } ?? [])
  }

  private var sourceLines: [String] {
    let addresses = configuration.server.shoutcastListen.map(\.description)
    if addresses.isEmpty { return [] }
    let isUsed = configuration.stations.contains { $0.takesSources }
    let advice = "           no station takes them: write push: among a station's upstreams"
    return ["sources    \(addresses.joined(separator: ", ")) (SHOUTcast 1)"]
      + (isUsed ? [] : [advice])
  }

  private var windowLines: [String] {
    let limit = Double(configuration.timeshift.diskLimit)
    let lines = [
      "window     \(HumanText.duration(configuration.timeshift.window)) per station",
      "disk       \(HumanText.bytes(diskNeeded)) needed at \(Int(bounded: Self.bitrateAssumed)) kbit/s, "
        + "\(HumanText.bytes(limit)) allowed",
    ]
    let isShort = diskNeeded > limit
    return lines + (isShort ? ["           less than needed: the oldest is given up first"] : [])
  }

  private var listenerLines: [String] {
    let wanted = configuration.server.listenersMax
    let line = "listeners  \(listenersMax) at once (open files: \(openFiles))"
    if listenersMax == wanted || !configuration.server.isListenersMaxWritten { return [line] }
    return [
      line, "           \(wanted) are configured: raise the limit on open files (ulimit -n)",
    ]
  }

  private var stationLines: [String] {
    ["stations   \(configuration.stations.count)"]
      + configuration.stations.map { station in
        let own = station.window.map { ", window \(HumanText.duration($0))" } ?? ""
        let from =
          station.parent.map { original in
            let bitrate = station.madeBitrate.map { "encoded at \($0) kbit/s" }
            return "/\(original), "
              + (bitrate ?? "\(HumanText.duration(station.delay.seconds)) later")
          } ?? station.files?.root ?? Self.played(by: station)
          ?? station.pulledFrom.map(URLText.withoutSecrets).joined(separator: ", ")
        let fallback = station.fallback.map { ", fallback \($0.text)" } ?? ""
        return "  /\(station.id)  \(station.name ?? station.id)  from \(from)\(own)\(fallback)"
      }
  }

  private static func played(by station: StationDefinition) -> String? {
    let paths = Set(station.playedPaths.values).sorted()
    return paths.isEmpty ? nil : paths.joined(separator: ", ")
  }

  private var misfitLines: [String] {
    misfits.map { "\($0.description), so it is not heard while that is so" }
  }

  private var tlsJSON: JSON {
    guard let tls = configuration.server.tls else { return .null }
    return [
      "certificate": JSON(tls.pairs.first?.certificate),
      "certificates": .array(tls.pairs.map { .string($0.certificate) }),
      "only": .bool(tls.isOnly), "acmeWebroot": JSON(tls.challenges),
    ]
  }

  /// The report for programs. `problems` is always empty, since a configuration with problems yields no report.
  public var json: JSON {
    [
      "file": JSON(configuration.file), "problems": [], "data": .string(data),
      "listen": .array(configuration.server.listen.map { .string($0.description) }),
      "shoutcastListen": .array(
        configuration.server.shoutcastListen.map { .string($0.description) }),
      "tls": tlsJSON,
      "window": .number(configuration.timeshift.window),
      "disk": [
        "needed": JSON(UInt64(diskNeeded)), "allowed": JSON(configuration.timeshift.diskLimit),
      ],
      "recordings": recordingsJSON,
      "listeners": [
        "possible": JSON(listenersMax), "configured": JSON(configuration.server.listenersMax),
        "openFiles": JSON(openFiles),
      ],
      "silent": .array((folders?.silent.paths ?? []).map(JSON.string)),
      "withoutEffect": .array(idleKeys.map(JSON.string)),
      "holes": .array(holes.map(JSON.string)),
      "programmes": musicJSON,
      "misfits": .array(misfits.map { .string($0.description) }),
      "adminOverTcp": .bool(!configuration.admin.token.isEmpty),
      "stations": .array(
        configuration.stations.map {
          [
            "id": .string($0.id), "name": JSON($0.name),
            "upstream": .array($0.pulledFrom.map { .string(URLText.withoutSecrets($0)) }),
            "window": .number($0.window ?? configuration.timeshift.window),
            "fallback": JSON($0.fallback?.text),
          ]
        }),
    ]
  }
}

extension ConfigurationError {
  /// The problems for programs: `{"problems": […]}`.
  public var json: JSON {
    [
      "problems": .array(
        problems.map {
          [
            "file": .string($0.file), "line": $0.line > 0 ? JSON($0.line) : nil,
            "key": .string($0.key), "message": .string($0.message),
          ]
        })
    ]
  }
}

extension ConfigurationReport {
  static func bytes(seconds: Double) -> Double {
    seconds * bitrateAssumed * 1000 / 8 * (1 + indexShare)
  }

  /// The limit on open files to which this process may raise itself.
  public static func openFilesLimit() -> Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_max)
  }
}
