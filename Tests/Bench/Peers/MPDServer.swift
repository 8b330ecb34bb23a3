import Foundation
import Reactor
import TestSupport

/// MPD with a folder, a database and an output of its own.
final class MPDServer {
  enum Output {
    /// Decodes and mixes, and throws the sound away at playing speed.
    case null
    /// Encodes by LAME, for listeners at this port.
    case http(port: UInt16)
  }

  /// Why it cannot be measured here, with advice; nil when it can.
  static var hindrance: String? {
    Binary.find("mpd") == nil ? "not installed: apt-get install mpd" : nil
  }

  let child: PipedProcess
  private let fd: Int32
  private var received: [UInt8] = []

  init(music: String, output: Output, in folder: String) throws {
    guard let program = Binary.find("mpd") else { throw BenchError(Self.hindrance ?? "") }
    let own = "\(folder)/\(UUID().uuidString)"
    let link = own + "/music/all"
    try FileManager.default.createDirectory(
      atPath: own + "/music", withIntermediateDirectories: true)
    let port = freePort()
    let text = """
      music_directory "\(own)/music"
      db_file "\(own)/database"
      log_file "\(own)/log"
      bind_to_address "127.0.0.1"
      port "\(port)"
      zeroconf_enabled "no"
      auto_update "no"
      input { 
        plugin "curl"
        enabled "no"
      }
      audio_output {
        name "bench"
        \(Self.lines(output))
      }

      """
    try text.write(toFile: own + "/mpd.conf", atomically: false, encoding: .utf8)
    child = try PipedProcess(
      Executables.pin(to: 0) + Executables.dieWithParent() + [
        program, "--no-daemon", own + "/mpd.conf",
      ], log: own + "/output")
    var connected: Int32 = -1
    try Wait.until("MPD answers", within: 20) { [child] in
      guard child.isRunning else { throw BenchError("MPD has ended at once") }
      connected = (try? Socket.connect(to: Loopback.address(port: port))) ?? -1
      return connected >= 0
    }
    fd = connected
    _ = try answer()
    // Without a database it looks through its folder at its start.
    try settle()
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: music)
  }

  deinit { Socket.close(fd) }

  /// Looks through its folder, and returns when it is done.
  func update() throws {
    try command("update")
    try settle()
  }

  private func settle() throws {
    try Wait.until("MPD has looked through its folder", within: 300, every: 0.1) {
      try !command("status").contains { $0.hasPrefix("updating_db:") }
    }
  }

  /// Plays all of its folder in the order of names, again and again.
  ///
  /// - Parameter crossfade: seconds; 0: none.
  func play(crossfade: Int = 0) throws {
    for line in ["add /", "repeat 1", "crossfade \(crossfade)", "play"] { try command(line) }
  }

  /// Returns how many songs its database has.
  func songs() throws -> Int {
    let line = try command("stats").first { $0.hasPrefix("songs: ") }
    return line.flatMap { Int($0.dropFirst(7)) } ?? 0
  }

  var cpu: Double { ProcessClock.secondsOfAll(child.id) }

  func stop() { child.stop() }

  @discardableResult
  private func command(_ line: String) throws -> [String] {
    let bytes = Array((line + "\n").utf8)
    guard bytes.withUnsafeBytes({ write(fd, $0.baseAddress, $0.count) }) == bytes.count else {
      throw BenchError("MPD does not take commands any more")
    }
    return try answer()
  }

  /// Returns the lines before the OK.
  private func answer() throws -> [String] {
    var lines: [String] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      while let end = received.firstIndex(of: 10) {
        let line = String(decoding: received[..<end], as: UTF8.self)
        received.removeFirst(end + 1)
        if line.hasPrefix("OK") { return lines }
        if line.hasPrefix("ACK") { throw BenchError("MPD: \(line)") }
        lines.append(line)
      }
      var entry = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 30_000) > 0 else { throw BenchError("MPD: no answer for 30 s") }
      let count = read(fd, &buffer, buffer.count)
      guard count > 0 else { throw BenchError("MPD has hung up") }
      received += buffer[..<count]
    }
  }

  private static func lines(_ output: Output) -> String {
    switch output {
    case .null: "type \"null\""
    case .http(let port):
      """
      type "httpd"
      encoder "lame"
      port "\(port)"
      bind_to_address "127.0.0.1"
      bitrate "\(BenchMusic.bitrate)"
      format "44100:16:2"
      """
    }
  }
}
