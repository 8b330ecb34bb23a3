import Foundation
import Longwave
import Synchronization

/// How far a long command is: one line on a terminal's standard error, at most once a second.
public final class Progress: Sendable {
  private struct State {
    var shownAt: ContinuousClock.Instant
    var isShown = false
    var done = 0
    /// The bytes to come in all; nil where nobody has said.
    var all: Int?
  }

  /// A command that ends within a second shows nothing.
  private let state = Mutex(State(shownAt: .now))
  /// The columns of the terminal; nil for none.
  private let columns: Int?

  public init(columns: Int) { self.columns = isatty(2) == 1 ? columns : nil }

  public func show(_ text: String) { state.withLock { show(text, &$0) } }

  /// Says how many bytes will come.
  public func expect(_ bytes: Int?) { state.withLock { $0.all = bytes } }

  /// Counts bytes that came, and shows them.
  public func count(_ bytes: Int) {
    state.withLock { state in
      state.done += bytes
      let end = state.all.map { " of \(HumanText.bytes(Double($0)))" } ?? ""
      show(HumanText.bytes(Double(state.done)) + end, &state)
    }
  }

  /// Removes the line, so that others can be written.
  public func clear() {
    state.withLock { state in
      if state.isShown { write("\r\u{1B}[K") }
      state.isShown = false
    }
  }

  private func show(_ text: String, _ state: inout State) {
    guard let columns, state.shownAt.duration(to: .now) >= .seconds(1) else { return }
    (state.shownAt, state.isShown) = (.now, true)
    write("\r\u{1B}[K" + TerminalText.shortened(TerminalText.safe(text), to: columns - 1))
  }

  private func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
