import Glibc
import Reactor
import Timeshift
import Wire

/// What a configuration would run, in lines for people: `longwave config check`.
public struct ConfigurationReport: Sendable {
  public var lines: [String] = []

  /// kbit/s of a station that nobody has heard yet.
  static let bitrateAssumed = 128.0
  /// Two to four bytes per packet and some per half second, beside the audio.
  static let indexShare = 0.02

  /// - Parameter openFiles: the hard limit of this process.
  public init(
    _ configuration: Configuration, data: String,
    openFiles: Int = ConfigurationReport.openFilesLimit()
  ) {
    let listen = configuration.server.listen.map(\.description).joined(separator: ", ")
    lines.append("listen     \(listen)")
    let sources = configuration.server.shoutcastListen
    if !sources.isEmpty {
      lines.append("sources    \(sources.map(\.description).joined(separator: ", ")) (SHOUTcast 1)")
      if !configuration.stations.contains(where: \.takesSources) {
        lines.append("           no station takes them: write push: among a station's upstreams")
      }
    }
    lines.append("data       \(data)")
    addWindows(configuration)
    addLimits(configuration, openFiles)
    addStations(configuration)
  }

  private mutating func addWindows(_ configuration: Configuration) {
    let seconds = configuration.stations.map { $0.window ?? configuration.timeshift.window }
    let need = seconds.reduce(0) { $0 + Self.bytes(seconds: $1) }
    let limit = Double(configuration.timeshift.diskLimit)
    lines.append("window     \(HumanText.duration(configuration.timeshift.window)) per station")
    lines.append(
      "disk       \(HumanText.bytes(need)) needed at \(Int(Self.bitrateAssumed)) kbit/s, "
        + "\(HumanText.bytes(limit)) allowed")
    if need > limit {
      lines.append("           less than needed: the oldest is given up first")
    }
  }

  private mutating func addLimits(_ configuration: Configuration, _ openFiles: Int) {
    let wanted = configuration.server.listenersMax
    let possible = max(1, openFiles - openFiles / 10 - 300)
    lines.append("listeners  \(min(wanted, possible)) at once (open files: \(openFiles))")
    if possible < wanted {
      lines.append("           \(wanted) are configured: raise the limit on open files (ulimit -n)")
    }
    let isOpen = !configuration.admin.token.isEmpty
    lines.append(
      "admin      \(isOpen ? "Unix socket, and TCP with the token" : "Unix socket only")")
  }

  private mutating func addStations(_ configuration: Configuration) {
    lines.append("stations   \(configuration.stations.count)")
    for station in configuration.stations {
      let own = station.window.map { ", window \(HumanText.duration($0))" } ?? ""
      let urls = station.upstream.map(URLText.withoutSecrets).joined(separator: ", ")
      lines.append("  /\(station.id)  \(station.name ?? station.id)  from \(urls)\(own)")
    }
  }

  static func bytes(seconds: Double) -> Double {
    seconds * bitrateAssumed * 1000 / 8 * (1 + indexShare)
  }

  /// The limit this process may raise itself to.
  public static func openFilesLimit() -> Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_max)
  }
}
