import CLinux
import Glibc
import Synchronization

/// A place where any thread leaves messages for an object that only the loop's thread may use.
///
/// Letters arrive in order; one wake-up serves many. The corresponding C function is `eventfd`.
public final class MailSlot<Letter: Sendable>: Sendable {
  private let letters = Mutex<[Letter]>([])
  fileprivate let descriptor: Int32

  fileprivate init() throws(SystemError) {
    descriptor = try withoutInterrupts("eventfd") {
      eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    }
  }

  deinit { close(descriptor) }

  public func post(_ letter: Letter) {
    let isFirst = letters.withLock { letters in
      letters.append(letter)
      return letters.count == 1
    }
    if isFirst { eventfd_write(descriptor, 1) }
  }

  fileprivate func popAll() -> [Letter] {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
    return letters.withLock { letters in
      defer { letters = [] }
      return letters
    }
  }
}

/// The loop's end of a `MailSlot`, for use on the loop's thread only.
public final class LoopMailbox<Letter: Sendable>: LoopHandler {
  public let slot: MailSlot<Letter>
  private let loop: EventLoop
  private let receive: (Letter) -> Void
  private var handler: HandlerID?

  /// - Parameter receive: Called on the loop's thread with each letter, until `close`.
  public init(_ loop: EventLoop, receive: @escaping (Letter) -> Void) throws(SystemError) {
    slot = try MailSlot()
    self.loop = loop
    self.receive = receive
    let handler = loop.attach(self)
    do {
      try loop.add(slot.descriptor, .read, handler: handler, token: 0)
    } catch {
      loop.detach(handler)
      throw error
    }
    self.handler = handler
  }

  /// Stops accepting letters.
  public func close() {
    guard let handler else { return }
    loop.remove(slot.descriptor)
    loop.detach(handler)
    self.handler = nil
  }

  public func ready(_ token: UInt64, _ readiness: Readiness) {
    for letter in slot.popAll() where handler != nil { receive(letter) }
  }

  public func timerFired(_ token: UInt32) {}
}
