import Synchronization
import Timeshift

/// The path that is being looked at behind a name, so that a report can name the path that hangs.
package final class PathLook: Sendable {
  @TaskLocal static var current: PathLook?

  private struct State {
    var path: String?
    var beganAt = MonotonicTime.now()
    var isGivenUp = false
  }

  private let state = Mutex(State())
  private let before: @Sendable (String) -> Void

  init(before: @escaping @Sendable (String) -> Void) { self.before = before }

  /// Notes the path before each call that may hang.
  package static func at(_ path: String) {
    guard let look = current else { return }
    look.state.withLock { $0.path = path }
    look.before(path)
  }

  var path: String? { state.withLock(\.path) }
  var beganAt: MonotonicTime { state.withLock(\.beganAt) }
  func begin() { state.withLock { $0.beganAt = .now() } }
  var isGivenUp: Bool { state.withLock(\.isGivenUp) }
  func giveUp() { state.withLock { $0.isGivenUp = true } }
}
