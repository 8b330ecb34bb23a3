import Glibc
import Logging

/// A file that lines are appended to, and that somebody else may move away. Trouble with it is said once, and again
/// when it is over; the lines of meanwhile are lost.
struct LineFile: ~Copyable {
  let path: String
  private let logger: Logger
  /// -1: could not be opened yet.
  private var file: Int32 = -1
  private var lost = 0
  private var isInTrouble = false
  /// The disk took only the beginning of the last line.
  private var isTorn = false

  init(path: String, logger: Logger) {
    self.path = path
    self.logger = logger
    open()
  }

  deinit { if file >= 0 { Glibc.close(file) } }

  /// Goes on in the file that has the name now: `logrotate` has renamed ours.
  mutating func reopen() {
    if file >= 0 { Glibc.close(file) }
    file = -1
    isTorn = false
    open()
  }

  private mutating func open() {
    // A named pipe that nobody reads is trouble as another, and no place to wait in.
    let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK
    // As Apache's and Icecast's: for us to write, for the group to read, whatever the process's mask is.
    file = Glibc.open(path, flags | O_CREAT | O_EXCL, 0o640)
    if file >= 0 {
      fchmod(file, 0o640)
    } else {
      file = Glibc.open(path, flags | O_CREAT, 0o640)
    }
    if file < 0 { fail("open") }
  }

  /// - Returns: how many of them were lost.
  mutating func append(_ lines: [String]) -> Int {
    if file < 0 { open() }
    guard file >= 0 else {
      lost += lines.count
      return lines.count
    }
    var lostNow = 0
    // A few pages a write: what does not fit any more is lost in whole lines.
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
      if count < 0, errno == EINTR || (errno == EAGAIN && takesMore()) { continue }
      guard count > 0 else {
        isTorn = sent > 0 ? text[sent - 1] != 10 : isTorn
        // What did get there is whole lines but for the last.
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

  /// Whether who reads a pipe takes more within a second; one who did not is not waited for again.
  private func takesMore() -> Bool {
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
