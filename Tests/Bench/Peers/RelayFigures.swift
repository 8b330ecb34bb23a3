import Foundation

/// What a relay tells of its stations over HTTP.
struct RelayFigures {
  let port: UInt16

  /// Returns the sum of a metric over all its lines; nil where there is none.
  ///
  /// - Parameter label: what a line has to contain.
  func metric(_ name: String, with label: String? = nil) throws -> Double? {
    let lines = try text("/metrics").split(separator: "\n").filter { line in
      (line.hasPrefix(name + "{") || line.hasPrefix(name + " "))
        && label.map { line.contains($0) } ?? true
    }
    let values = lines.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
    return values.isEmpty ? nil : values.reduce(0, +)
  }

  /// Returns how late its stations were, in words; nil if none was.
  func lateness() throws -> String? {
    if let seconds = try metric("longwave_programme_late_seconds_total") {
      return seconds > 0 ? String(format: "%.2f s late", seconds) : nil
    }
    let gaps = try metric("longwave_station_gaps_total", with: "upstream-away") ?? 0
    return gaps > 0 ? "\(Int(gaps)) times late" : nil
  }

  /// Returns how many of its stations play.
  func playing() throws -> Int {
    let answer = try JSONSerialization.jsonObject(with: Data(get("/api/v1/stations")))
    let stations = (answer as? [String: Any])?["stations"] as? [[String: Any]] ?? []
    return stations.filter { $0["state"] as? String == "playing" }.count
  }

  /// Returns what is wrong with that many stations, in words; empty if all play and none was late.
  func faults(stations: Int) throws -> [String] {
    let playing = try playing()
    return (playing < stations ? ["\(playing) of \(stations) stations play"] : [])
      + (try lateness().map { [$0] } ?? [])
  }

  /// Returns the body of an answer.
  func get(_ path: String) throws -> [UInt8] {
    let connection = try KeptConnection(from: Loopback.source(part: 249, index: 0), to: port)
    let answer = try connection.ask("GET \(path) HTTP/1.1\r\nHost: bench\r\n\r\n")
    guard answer.status == 200 else { throw BenchError("\(path) is answered \(answer.status)") }
    return answer.body
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try get(path), as: UTF8.self)
  }
}
