import Foundation
import Glibc
import Synchronization
import Timeshift

/// Keeps the ledger of starts in `DATA/starts`. Its owner holds the lock on the folder.
package final class StartWatch: Sendable {
  /// What this start has to do without; nil when that is nothing.
  package let safeMode: SafeMode?
  /// The id that this relay's first event has.
  package let firstEventID: UInt64
  /// The clock by which data is deleted for its age.
  package let expiry: ExpiryClock
  private let path: String
  private let ledger: Mutex<StartLedger>

  /// Writes this start to the disk before it returns, and so before anything stored is read.
  package init(data: String, now: WallTime = Moment.now().wall, boot: String = StartWatch.boot) {
    path = Self.path(in: data)
    var ledger = Self.ledger(in: data)
    safeMode = ledger.begin(at: now, boot: boot)
    firstEventID = ledger.eventID
    expiry = ExpiryClock(ledger.time)
    _ = expiry.now(at: Moment(wall: now, monotonic: .now()))
    ledger.time = expiry.state
    self.ledger = Mutex(ledger)
    write(ledger)
  }

  package static func path(in data: String) -> String { data + "/starts" }

  /// Returns the ledger of a folder; empty when there is no such file.
  package static func ledger(in data: String) -> StartLedger {
    // Refuses links, and opens a pipe without waiting for its other end.
    let file = open(path(in: data), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return StartLedger() }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    let count = read(file, &bytes, bytes.count)
    return StartLedger(text: String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
  }

  /// Notes that the relay lives; called once a minute, from the first minute on.
  ///
  /// - Parameter event: the newest event.
  package func live(at now: WallTime = Moment.now().wall, event: UInt64 = 0) {
    change {
      $0.live(at: now)
      $0.tell(event)
    }
  }

  package func stop(hasStarted: Bool, event: UInt64 = 0) {
    change {
      $0.stop(hasStarted: hasStarted)
      $0.tell(event)
    }
  }

  private func change(_ body: (inout StartLedger) -> Void) {
    ledger.withLock { ledger in
      let before = ledger
      body(&ledger)
      _ = expiry.now()
      ledger.time = expiry.state
      if ledger != before { write(ledger) }
    }
  }

  /// Writes the file whole or not at all. With a full disk the relay starts all the same: deaths are not counted then.
  private func write(_ ledger: StartLedger) {
    let fresh = path + ".new"
    unlink(fresh)
    let file = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return }
    let bytes = Array(ledger.text.utf8)
    let isWritten = Glibc.write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
    close(file)
    if isWritten { rename(fresh, path) } else { unlink(fresh) }
  }

  /// The machine's boot id; `-` when the kernel does not tell.
  package static var boot: String {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    return text.map { $0.filter { $0.isHexDigit || $0 == "-" } }.flatMap { $0.isEmpty ? nil : $0 }
      ?? "-"
  }
}
