import Foundation
import TestSupport

/// Liquidsoap that plays a folder to listeners of its own, encoded by LAME.
struct LiquidsoapServer {
  /// Why it cannot be measured here, with advice; nil when it can.
  static var hindrance: String? {
    Binary.find("liquidsoap") == nil ? "not installed: apt-get install liquidsoap" : nil
  }

  static let path = "/bench"

  let child: PipedProcess
  let port: UInt16

  /// - Parameter crossfade: seconds; 0: none.
  init(music: String, crossfade: Int, in folder: String) throws {
    guard let program = Binary.find("liquidsoap") else { throw BenchError(Self.hindrance ?? "") }
    port = freePort()
    let own = "\(folder)/\(UUID().uuidString)"
    let fade = "music = crossfade(duration=\(crossfade)., fade_out=\(crossfade)., music)"
    let text = """
      settings.init.allow_root.set(true)
      settings.log.file.set(false)
      settings.log.stdout.set(true)
      settings.harbor.bind_addrs.set(["127.0.0.1"])
      music = playlist(mode="normal", "\(music)")
      \(crossfade > 0 ? fade : "")
      output.harbor(
        %mp3(bitrate=\(BenchMusic.bitrate)), mount="\(Self.path.dropFirst())", port=\(port), mksafe(music))

      """
    try text.write(toFile: own + ".liq", atomically: false, encoding: .utf8)
    child = try PipedProcess(
      Executables.pin(to: 0) + Executables.dieWithParent() + [program, own + ".liq"],
      log: own + ".log")
  }

  var cpu: Double { ProcessClock.secondsOfAll(child.id) }

  func stop() { child.stop() }
}
