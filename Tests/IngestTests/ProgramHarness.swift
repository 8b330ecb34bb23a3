import Glibc
import Reactor
import TestSupport
import Testing
import Timeshift

@testable import Ingest

/// A station whose upstream is a shell's script, in a folder of its own with numbered frames in `frames.mp3`.
struct ProgramHarness {
  let folder = TemporaryDirectory()
  let station: IngestHarness

  /// - Parameter frames: how many frames there are, of 26 ms each.
  init(frames: UInt64 = 400) throws {
    station = try IngestHarness()
    try write(NumberedFrames.stream(0..<frames), to: "frames.mp3")
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    let file = open(folder.path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    defer { close(file) }
    #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
  }

  static func settings(_ call: ProgramCall) -> UpstreamSettings {
    var settings = IngestHarness.quick([])
    settings.reconnect.quickDelay = 0.01...0.02
    settings.reconnect.hopelessDelay = 0.02
    settings.reconnect.unsteadyMax = 1000
    settings.run(call)
    return settings
  }

  /// The script's lines in the file `pids` are taken for processes of it.
  func start(_ script: String, change: (inout UpstreamSettings) -> Void = { _ in }) async {
    var settings = Self.settings(ProgramCall(["sh", "-c", script], in: folder.path))
    change(&settings)
    await station.start(settings)
  }

  /// The processes that have written their number into the file `pids`.
  var processes: [pid_t] {
    String(decoding: folder.read("pids"), as: UTF8.self).split(separator: "\n").compactMap {
      pid_t($0)
    }
  }

  /// Those of them that run, and zombies that are ours to take away.
  var remaining: [pid_t] { processes.filter(Self.remains) }

  static func remains(_ process: pid_t) -> Bool {
    let file = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = max(0, read(file, &bytes, bytes.count))
    let fields = String(decoding: bytes[..<count], as: UTF8.self).split(separator: ") ").last?
      .split(separator: " ")
    guard let fields, fields.count > 1 else { return false }
    return fields[0] != "Z" || pid_t(fields[1]) == getpid()
  }

  var failures: [String] {
    station.events.compactMap { if case .programEnded(let reason, _) = $0 { reason } else { nil } }
  }

  func isComplete(times: Int) -> Bool {
    station.events.count { if case .fileComplete = $0 { true } else { false } } >= times
  }

  /// Stops the station and its loop. Afterwards no process of it is left.
  func finish() async throws {
    _ = await station.finish()
    #expect(remaining.isEmpty)
  }
}
