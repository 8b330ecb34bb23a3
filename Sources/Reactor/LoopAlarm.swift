/// A timer of a loop that does one thing each time; used on the loop's thread only.
package final class LoopAlarm: LoopHandler {
  private let loop: EventLoop
  private let action: () -> Void
  private var id: HandlerID?

  package init(_ loop: EventLoop, _ action: @escaping () -> Void) {
    (self.loop, self.action) = (loop, action)
    id = loop.attach(self)
  }

  /// Sets the alarm, in place of a time set before; nanoseconds from now.
  package func set(after nanoseconds: Int64) {
    if let id { loop.setTimer(id, token: 0, after: nanoseconds) }
  }

  /// Ends the alarm: the loop holds it until then.
  package func end() {
    if let id { loop.detach(id) }
    id = nil
  }

  package func ready(_ token: UInt64, _ readiness: Readiness) {}

  package func timerFired(_ token: UInt32) { action() }
}
