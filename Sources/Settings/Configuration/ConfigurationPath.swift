import Foundation

extension Configuration {
  /// The configuration file for a start that names none.
  public static let systemPath = "/etc/longwave/longwave.yml"

  /// Loads the named file, else `LONGWAVE_CONFIG`, else the system's file if there is one, else the defaults.
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
