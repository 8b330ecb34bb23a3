/// The bench's upstream in a process of its own, on core 1.
final class BenchUpstream {
  let child: PipedProcess
  let port: UInt16

  /// - Parameters:
  ///   - bitrate: kbit/s, one of layer III.
  ///   - burst: seconds of its past that it sends at once.
  init(bitrate: Int, burst: Double = 33) throws {
    child = try PipedProcess(
      Executables.pin(to: 1) + [
        Executables.own, "part-upstream", "--bitrate", "\(bitrate)", "--burst", "\(burst)",
      ])
    let answer = try child.line(within: 10, of: "the upstream")
    guard let port = UInt16(answer) else { throw BenchError("the upstream said \"\(answer)\"") }
    self.port = port
  }

  /// Returns stations that pull from it, as lines of a configuration's list.
  func stations(_ count: Int) -> [String] {
    (0..<count).map { "{id: pulled-\($0), upstream: \"http://127.0.0.1:\(port)/live\"}" }
  }

  func stop() { child.stop(patience: 0) }
}
