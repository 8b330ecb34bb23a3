import Reactor
import Threads
import Timeshift

/// Reads the files of authorities that stations name, beside the loop. A hanging disk delays only the stations that
/// need its files.
///
/// Used on the ingest loop. Each file has a thread of its own while it is read, and no second reading begins for it:
/// later callers share the result. So a hanging disk holds one thread for each of its files, however often it is tried.
/// `ReadingPool` has four threads in all, and its work waits for the processor only.
final class AuthorityReader {
  typealias Outcome = Result<[UInt8], AuthorityError>

  private struct Letter {
    let path: String
    let outcome: Outcome
  }

  private struct WeakTicket {
    weak var ticket: AuthorityTicket?
  }

  private let loop: EventLoop
  private let clock: LoopClock
  private var mailbox: LoopMailbox<Letter>?
  /// Tickets that wait for files being read, by path.
  private var waiting: [String: [WeakTicket]] = [:]
  /// Runs before each reading, on its thread: for tests of disks that hang.
  private let before: (@Sendable (String) -> Void)?

  init(loop: EventLoop, clock: LoopClock, before: (@Sendable (String) -> Void)? = nil) {
    self.loop = loop
    self.clock = clock
    self.before = before
  }

  /// Has a file read. Calls `then` in a later turn of the loop, once, unless the ticket is released first.
  ///
  /// - Parameter seconds: the longest wait.
  func read(
    _ path: String, within seconds: Double, then: @escaping (Outcome) -> Void
  ) -> AuthorityTicket {
    let ticket = AuthorityTicket(path, clock, then)
    if waiting[path] != nil || begin(path) {
      waiting[path, default: []].removeAll { $0.ticket == nil }
      waiting[path]?.append(WeakTicket(ticket: ticket))
      ticket.wait(seconds, then: .silent(path))
    } else {
      let reason = Shortage.now ?? "the system gives this process no more threads"
      ticket.wait(0, then: .unusable(path, reason))
    }
    return ticket
  }

  func close() {
    mailbox?.close()
    mailbox = nil
    waiting.removeAll()
  }

  /// Begins to read a file. False: there is no descriptor or no thread for it.
  private func begin(_ path: String) -> Bool {
    if mailbox == nil { mailbox = try? LoopMailbox(loop) { [weak self] in self?.receive($0) } }
    guard let slot = mailbox?.slot else { return false }
    return SystemThread.start("authorities") { [before] in
      before?(path)
      let outcome = Result { () throws(AuthorityError) in try AuthorityFile.read(path) }
      slot.post(Letter(path: path, outcome: outcome))
    }
  }

  private func receive(_ letter: Letter) {
    for waiter in waiting.removeValue(forKey: letter.path) ?? [] {
      waiter.ticket?.end(letter.outcome)
    }
  }
}

/// While a caller holds this, it receives the result of the reading.
final class AuthorityTicket {
  private var then: ((AuthorityReader.Outcome) -> Void)?
  private var timer: LoopTimer?
  private var late: AuthorityError

  fileprivate init(
    _ path: String, _ clock: LoopClock, _ then: @escaping (AuthorityReader.Outcome) -> Void
  ) {
    self.then = then
    late = .silent(path)
    timer = LoopTimer(clock) { [unowned self] in end(.failure(late)) }
  }

  fileprivate func wait(_ seconds: Double, then error: AuthorityError) {
    late = error
    timer?.set(after: seconds)
  }

  fileprivate func end(_ outcome: AuthorityReader.Outcome) {
    let then = then
    self.then = nil
    timer?.cancel()
    then?(outcome)
  }
}
