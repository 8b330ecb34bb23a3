import Foundation

extension Configuration {
  /// Where a configuration is looked for that nobody named.
  public static let systemPath = "/etc/longwave/longwave.yml"

  /// The file named, `LONGWAVE_CONFIG`, the system's where there is one; else the defaults.
  public static func loadNamed(
    _ path: String?, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ConfigurationError) -> Configuration {
    if let path = path ?? environment["LONGWAVE_CONFIG"] {
      return try load(file: path, environment: environment)
    }
    if FileManager.default.fileExists(atPath: systemPath) {
      return try load(file: systemPath, environment: environment)
    }
    var configuration = Configuration()
    try configuration.apply(environment)
    return configuration
  }
}
