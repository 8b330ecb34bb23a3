/// Configures longwave with its default values and the bench's stations.
enum LongwaveConfiguration {
  static func yaml(
    port: UInt16, upstreamPort: UInt16, stations: Int, windowSeconds: Double?,
    watchers: Int?, identity: ServerIdentity?, further: [String], directory: String
  ) -> String {
    var lines = [
      "server:", "  listen: [\"127.0.0.1:\(port)\"]", "  data: \"\(directory)/data\"",
    ]
    if let identity {
      lines.append("  tls: {certificate: \"\(identity.certificate)\", key: \"\(identity.key)\"}")
    }
    if let watchers { lines += ["  max-watchers: \(watchers)"] }
    if let windowSeconds { lines += ["timeshift:", "  window: \(Int(windowSeconds))s"] }
    lines.append("stations:")
    for station in 0..<stations {
      let id = ServerUnderTest.Paths.longwave.path(station: station, of: stations).dropFirst()
      lines.append("  - {id: \(id), upstream: \"http://127.0.0.1:\(upstreamPort)/live\"}")
    }
    return (lines + further).joined(separator: "\n") + "\n"
  }
}
