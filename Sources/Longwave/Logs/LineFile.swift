import Glibc
import Logging

/// A file that lines are appended to, and that others may move away. Trouble with it is logged once, and again when it
/// is over; lines of the time between are lost.
struct LineFile: ~Copyable {
  let path: String
  private let logger: Logger
  /// Descriptor of the file; -1 when it could not be opened yet.
  private var file: Int32 = -1
  private var lost = 0
  private var isInTrouble = false
  /// Whether the disk accepted only the beginning of the last line.
  private var isTorn = false

  init(path: String, logger: Logger) {
    self.path = path
    self.logger = logger
    open()
  }

  deinit { if file >= 0 { Glibc.close(file) } }

  /// Goes on in the file that has the name now: `logrotate` has renamed the old one.
  mutating func reopen() {
    if file >= 0 { Glibc.close(file) }
    file = -1
    isTorn = false
    open()
  }

  private mutating func open() {
    // A named pipe without a reader is trouble like any other; opening it must not wait.
    let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK
    // Mode as for Apache's and Icecast's logs, whatever the process's mask is: written by the owner, read by the group.
    file = Glibc.open(path, flags | O_CREAT | O_EXCL, 0o640)
    if file >= 0 {
      fchmod(file, 0o640)
    } else {
      file = Glibc.open(path, flags | O_CREAT, 0o640)
    }
    if file < 0 { fail("open") }
  }

  /// Appends lines.
  ///
  /// - Returns: how many of them were lost.
  mutating func append(_ lines: [String]) -> Int {
    if file < 0 { open() }
    guard file >= 0 else {
      lost += lines.count
      return lines.count
    }
    var lostNow = 0
    // Writes a few pages at a time: what does not fit any more is lost in whole lines.
    var batch: [String] = []
    var bytes = 0
    for line in lines {
      batch.append(line)
      bytes += line.utf8.count
      if bytes > 32 * 1024 {
        lostNow += write(batch)
        (batch, bytes) = ([], 0)
      }
    }
    if !batch.isEmpty { lostNow += write(batch) }
    return lostNow
  }

  private mutating func write(_ lines: [String]) -> Int {
    let text = Array(((isTorn ? "\n" : "") + lines.joined()).utf8)
    var sent = 0
    while sent < text.count {
      let count = text[sent...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR || (errno == EAGAIN && acceptsMore()) { continue }
      guard count > 0 else {
        isTorn = sent > 0 ? text[sent - 1] != 10 : isTorn
        // The written lines are whole, except for the last one.
        let lostNow = lines.count - text[..<sent].count { $0 == 10 }
        lost += lostNow
        fail("write")
        return lostNow
      }
      sent += count
    }
    isTorn = false
    recover()
    return 0
  }

  /// Whether a pipe's reader accepts more within a second. After a reader did not, it is not waited for again.
  private func acceptsMore() -> Bool {
    if isInTrouble { return false }
    var pipe = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
    let count = poll(&pipe, 1, 1000)
    errno = EAGAIN
    return count > 0
  }

  private mutating func fail(_ verb: String) {
    if isInTrouble { return }
    isInTrouble = true
    let reason = String(cString: strerror(errno))
    logger.warning("cannot \(verb) \(path): \(reason); its lines are lost until it can be written")
  }

  private mutating func recover() {
    if isInTrouble { logger.warning("\(path) is written again; \(lost) lines were lost") }
    isInTrouble = false
    lost = 0
  }
}
