/// Looks of a relay through its one root, which are made by a reload and told by an event.
final class RootScans {
  struct Scan {
    var files: Int
    var problems: Int
    var seconds: Double
  }

  private let relay: BenchRelay
  private let events: EventLines
  private var folder = ""
  /// Minutes between two looks. Another number is a reason to look at once.
  private var rescan = 100

  init(of relay: BenchRelay) throws {
    self.relay = relay
    events = try EventLines("scan-finished", port: relay.port)
  }

  /// Gives the relay a folder, and returns when it has looked through that.
  func first(of folder: String) throws -> Scan {
    self.folder = folder
    return try again()
  }

  /// Has the relay look through its folder again.
  ///
  /// - Parameter meanwhile: called now and then until it has.
  func again(_ meanwhile: () -> Void = {}) throws -> Scan {
    rescan += 1
    let root = "{id: main, path: \"\(folder)\"}"
    try relay.reload([
      "library: {roots: [\(root)], watch: false, measure: never, rescan: \(rescan)m}"
    ])
    let deadline = monotonicNow() + 600_000_000_000
    while monotonicNow() < deadline {
      if let event = try events.next(within: 0.1) {
        return Scan(
          files: event["files"] as? Int ?? 0, problems: event["problems"] as? Int ?? 0,
          seconds: event["seconds"] as? Double ?? 0)
      }
      meanwhile()
      guard relay.child.isRunning else { throw BenchError("the relay has ended") }
    }
    throw BenchError("not within 10 minutes: the relay has looked through its folder")
  }
}
