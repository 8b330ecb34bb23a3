import Glibc
import Reactor

/// The programs of one ingest loop: begins and ends them, and tells on the loop what happens to them.
///
/// Used on the ingest loop only. A call waits while a program of the same call is still ending: both may need a device.
final class ProgramRunner {
  typealias ID = UInt64

  private struct Letter {
    let id: ID
    let news: Program.News
  }

  private struct Entry {
    let call: ProgramCall
    /// Nil when nobody wants the program any more.
    var hear: ((Program.News) -> Void)?
    /// Nil while the call waits.
    var program: Program?
    /// Whether the program has ended, or has been told to.
    var isEnding = false
    /// The pipe of its errors while nobody reads it; -1 for none.
    var errors: Int32 = -1
  }

  private let loop: EventLoop
  private var mailbox: LoopMailbox<Letter>?
  private var entries: [ID: Entry] = [:]
  private var lastID: ID = 0
  private var whenEmpty: (() -> Void)?

  init(loop: EventLoop) { self.loop = loop }

  /// Begins a program. Nil: the system gives no descriptor or thread for it.
  ///
  /// - Parameter hear: called in later turns with what happens to the program, until `end`.
  func begin(_ call: ProgramCall, hear: @escaping (Program.News) -> Void) -> ID? {
    guard openMailbox() else { return nil }
    lastID += 1
    entries[lastID] = Entry(call: call, hear: hear)
    if isEnding(call) { return lastID }
    guard run(lastID) else {
      entries[lastID] = nil
      return nil
    }
    return lastID
  }

  /// Ends a program and all that it has started; nothing more is told of it.
  ///
  /// - Parameter errors: the pipe of its errors, or -1. It is closed when the program has gone: writing there what it
  ///   does at its end must not kill it.
  func end(_ id: ID, errors: Int32) {
    guard entries[id] != nil else { return Self.close(errors) }
    entries[id]?.hear = nil
    entries[id]?.errors = errors
    guard let program = entries[id]?.program else { return remove(id) }
    entries[id]?.isEnding = true
    program.end()
  }

  /// Asks a program to end; what happens to it is still told.
  func ask(toEnd id: ID) { entries[id]?.program?.end() }

  /// Calls `then` once, when no program is left: at once if there is none.
  func whenEmpty(_ then: @escaping () -> Void) {
    if entries.isEmpty { then() } else { whenEmpty = then }
  }

  func close() {
    for entry in entries.values {
      entry.program?.end()
      Self.close(entry.errors)
    }
    entries.removeAll()
    mailbox?.close()
    mailbox = nil
  }

  private func openMailbox() -> Bool {
    if mailbox == nil { mailbox = try? LoopMailbox(loop) { [unowned self] in receive($0) } }
    return mailbox != nil
  }

  private func run(_ id: ID) -> Bool {
    guard let call = entries[id]?.call, let slot = mailbox?.slot else { return false }
    let program = Program.begin(call) { slot.post(Letter(id: id, news: $0)) }
    entries[id]?.program = program
    return program != nil
  }

  private func receive(_ letter: Letter) {
    let hear = entries[letter.id]?.hear
    if case .exited = letter.news { entries[letter.id]?.isEnding = true }
    if case .gone = letter.news { remove(letter.id) }
    hear?(letter.news)
  }

  private func remove(_ id: ID) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    Self.close(entry.errors)
    beginWaiting(for: entry.call)
    if entries.isEmpty {
      whenEmpty?()
      whenEmpty = nil
    }
  }

  /// Begins the calls that waited for the end of another one.
  private func beginWaiting(for call: ProgramCall) {
    if isEnding(call) { return }
    for (id, entry) in entries where entry.call.excludes(call) && entry.program == nil {
      if run(id) { continue }
      entries[id] = nil
      entry.hear?(.refused(Self.noThread))
    }
  }

  private func isEnding(_ call: ProgramCall) -> Bool {
    entries.values.contains { $0.call.excludes(call) && $0.isEnding }
  }

  private static func close(_ fd: Int32) {
    if fd >= 0 { Glibc.close(fd) }
  }

  static let noThread = "the system gives this process no more threads"
}
