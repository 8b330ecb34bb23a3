import Ingest
import Logging
import Server
import Timeshift

/// Reports to a service manager: how far a start is, that the relay lives, and how it is.
struct ServiceReports: Sendable {
  let manager: ServiceManager

  /// Seconds between two looks at a relay that starts, and those that it then gets.
  private static let startPause = 1.0
  private static let startSeconds = 60
  /// Seconds between two reports of a running relay, at most and at least. A manager that wants them faster would keep
  /// the relay from all other work.
  private static let statusPause = 10.0
  private static let statusPauseLeast = 0.1

  /// Seconds between two words of a relay that runs.
  var pause: Double {
    max(Self.statusPauseLeast, min(Self.statusPause, (manager.watchdogSeconds ?? .infinity) / 2))
  }

  /// Logs how far a long start is, and asks for more time as long as windows are being read: hours of many stations may
  /// take minutes.
  ///
  /// A start that stands still asks for none, and the manager ends it.
  ///
  /// - Parameter manager: nil where none has started this process.
  static func follow(startOf relay: Relay, for manager: ServiceManager?) -> Task<Void, Never> {
    Task {
      var told = 0
      while (try? await Task.sleep(for: .seconds(startPause))) != nil {
        let progress = relay.windowsRead
        guard progress.read > told else { continue }
        told = progress.read
        let text = "starting: \(progress.read) of \(progress.all) windows are read"
        manager?.tell(.starting(seconds: startSeconds), .status(text))
        if progress.read < progress.all { relay.logger.info("\(text)") }
      }
    }
  }

  /// Says that the relay lives, each time when all of its loops have turned, and how it is.
  func follow(_ relay: Relay) -> Task<Void, Never> {
    Task {
      repeat {
        manager.tell(.status(await relay.turn()), .alive)
      } while (try? await Task.sleep(for: .seconds(pause))) != nil
    }
  }
}

extension Relay {
  /// Windows that a start has read, of those there are.
  nonisolated var windowsRead: (read: Int, all: Int) { logs.progress }

  /// Waits until each loop of the relay has turned, and says how it is in a few words.
  ///
  /// Threads that write to disks are not waited for: a disk that hangs is no reason to end the relay.
  func turn() async -> String {
    await ingest.turn()
    let listeners = await serving.server?.figures().listeners ?? 0
    let states = await views.snapshots().map(\.state)
    let away = states.count { [.connecting, .buffering, .failed].contains($0) }
    var counts = [Self.counted(states.count, "station"), Self.counted(listeners, "listener")]
    if away > 0 { counts.append("\(away) off air") }
    // One trouble of many is enough: the log and `longwave doctor` have all of them.
    let troubles = await obstacles().prefix(1)
    return ([counts.joined(separator: ", ")] + troubles).joined(separator: "; ")
  }

  private static func counted(_ count: Int, _ thing: String) -> String {
    "\(count) \(thing)\(count == 1 ? "" : "s")"
  }
}
