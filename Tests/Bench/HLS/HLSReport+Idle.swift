extension HLSReport {
  /// Two relays in the same window.
  struct Idle: Codable {
    var with, without: HLSIdleRun
    /// Whether the one with HLS was started first.
    var startsWith: Bool
    /// The cores that the rest of the machine used.
    var others: Double

    var ratio: Double { with.microseconds / without.microseconds }
    var firstToSecond: Double { startsWith ? ratio : 1 / ratio }
  }

  /// Two pairs, one of which started with HLS and the other without, as one ratio.
  private var doubles: [Double] {
    stride(from: 0, to: idle.count - 1, by: 2).map { place in
      let two = idle[place...place + 1]
      return two.reduce(0) { $0 + $1.with.microseconds }
        / two.reduce(0) { $0 + $1.without.microseconds }
    }
  }

  var idleLines: [String] {
    if idle.isEmpty { return [] }
    func mean(_ value: (Idle) -> Double) -> Double {
      idle.map(value).reduce(0, +) / Double(idle.count)
    }
    let cpu = (mean(\.with.microseconds), mean(\.without.microseconds))
    let memory = (mean { Double($0.with.rssKiB) }, mean { Double($0.without.rssKiB) })
    let rows = idle.enumerated().map { place, pair in
      """
      | \(place + 1), \(pair.startsWith ? "true" : "false") first | \
      \(number(pair.with.microseconds)) | \(number(pair.without.microseconds)) | \
      ×\(number(pair.ratio, 3)) | \(mebibytes(Double(pair.with.rssKiB))) | \
      \(mebibytes(Double(pair.without.rssKiB))) | \
      ×\(number(Double(pair.with.rssKiB) / Double(pair.without.rssKiB), 3)) | \
      \(number(pair.others * 100)) | \(text(pair.with.errors + pair.without.errors)) |
      """
    }
    return [
      "| \(stations) stations, pair | hls: true, µs CPU a station-second | hls: false | ratio (<= 1.01) | RSS MiB, hls: "
        + "true | hls: false | ratio | others, core % | errors |",
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ] + rows + [
      """
      | mean | \(number(cpu.0)) | \(number(cpu.1)) | ×\(number(cpu.0 / cpu.1, 3)) | \(mebibytes(memory.0)) | \
      \(mebibytes(memory.1)) | ×\(number(memory.0 / memory.1, 3)) | | |
      """, "",
      """
      The relay that starts first takes ×\(number(mean(\.firstToSecond), 3)) of the other. Two pairs together, so \
      without that: \(doubles.map { "×" + number($0, 3) }.joined(separator: ", ")), \
      standard error of their mean \(number(standardError(doubles), 3)).
      """,
    ]
  }

  private func standardError(_ values: [Double]) -> Double {
    let count = Double(values.count)
    guard count > 1 else { return .nan }
    let middle = values.reduce(0, +) / count
    let squares = values.reduce(0) { $0 + ($1 - middle) * ($1 - middle) }
    return (squares / (count - 1) / count).squareRoot()
  }

  private func mebibytes(_ kibibytes: Double) -> String { number(kibibytes / 1024) }
}
