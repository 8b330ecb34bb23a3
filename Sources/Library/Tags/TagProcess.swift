import CLinux
import Glibc
import Reactor
import Synchronization
import Threads
import Timeshift
import Wire

/// The process that reads tags, from this side: its socket and its end.
final class TagProcess: Sendable {
  enum End: Sendable {
    case ended(ProgramEnd)
    case refused(String)
    /// Not ended yet: a disk may hold it.
    case unknown

    var words: String {
      if case .ended(let end) = self { end.words } else { "has gone" }
    }
  }

  enum Receipt { case some, over, tooLong }

  /// What the program's thread tells.
  private final class News: Sendable {
    let end = Mutex<End?>(nil)
    let isOver = Signal()

    func take(_ news: Program.News) {
      switch news {
      case .begun: break
      case .refused(let why): put(.refused(why))
      case .exited(let end): put(.ended(end))
      case .gone: isOver.raise()
      }
    }

    private func put(_ end: End) {
      self.end.withLock { $0 = end }
      isOver.raise()
    }
  }

  private let socket: Int32
  private let program: Program
  private let news: News

  private init(socket: Int32, program: Program, news: News) {
    (self.socket, self.program, self.news) = (socket, program, news)
  }

  deinit { close(socket) }

  /// Begins the process. Nil: the system gives no socket or thread. Does not block.
  static func begin(_ call: ProgramCall) -> TagProcess? {
    guard let (ours, theirs) = ProgramSocket.pair() else { return nil }
    let news = News()
    guard let program = Program.begin(call, socket: theirs, tell: { news.take($0) }) else {
      close(ours)
      return nil
    }
    return TagProcess(socket: ours, program: program, news: news)
  }

  /// The process's number; nil before it is begun and after its end.
  var id: Int32? { program.id }

  var hasEnded: Bool { news.end.withLock { $0 != nil } }

  /// Ends the process, at once or as soon as its disk lets go of it. Does not block.
  func end() { program.endAtOnce() }

  /// Nanoseconds to wait for why a process is gone that has closed its socket.
  private static let endNanoseconds: Int64 = 1_000_000_000

  /// Returns how the process ended that has closed its socket.
  func awaitEnd() -> End {
    let deadline = MonotonicTime.now().nanoseconds.saturatingAdd(Self.endNanoseconds)
    while !hasEnded {
      let left = (deadline - MonotonicTime.now().nanoseconds) / 1_000_000
      guard left > 0 else { break }
      news.isOver.wait(milliseconds: Int32(clamping: left))
    }
    return news.end.withLock { $0 } ?? .unknown
  }

  enum Sending { case sent, full, refused }

  /// Sends an open file and its number, if the socket has room now.
  func send(_ file: Int32, _ number: UInt64) -> Sending {
    var number = number
    let count = linux_send_file(socket, &number, MemoryLayout<UInt64>.size, file)
    if count == MemoryLayout<UInt64>.size { return .sent }
    // The end of a process that is gone is read from its socket.
    return [EAGAIN, EPIPE, ECONNRESET].contains(errno) ? .full : .refused
  }

  /// Waits for bytes, or for room to send, and takes the bytes that are there.
  func receive(into lines: inout LineBuffer, wantsToSend: Bool, nanoseconds: Int64) -> Receipt {
    var wait = pollfd(
      fd: socket, events: Int16(POLLIN) | (wantsToSend ? Int16(POLLOUT) : 0), revents: 0)
    // Rounded up: no busy turns at the end.
    let milliseconds = Int32(clamping: nanoseconds / 1_000_000 + 1)
    guard poll(&wait, 1, milliseconds) > 0 else { return .some }
    guard wait.revents & ~Int16(POLLOUT) != 0 else { return .some }
    return lines.fill(from: socket)
  }
}

/// Bytes that have come, cut into lines.
struct LineBuffer {
  private var bytes: [UInt8] = []
  /// Where the next line begins, and up to where there is no end of it.
  private var (start, seen) = (0, 0)
  private let bytesMax: Int

  private static let readBytes = 64 * 1024

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// Returns the next whole line without its end.
  mutating func next() -> [UInt8]? {
    guard let end = bytes[seen...].firstIndex(of: UInt8(ascii: "\n")) else {
      seen = bytes.count
      return nil
    }
    let line = Array(bytes[start..<end])
    (start, seen) = (end + 1, end + 1)
    return line
  }

  /// Reads what a socket has.
  mutating func fill(from socket: Int32) -> TagProcess.Receipt {
    bytes.removeFirst(start)
    seen -= start
    start = 0
    guard bytes.count < bytesMax else { return .tooLong }
    var receipt = TagProcess.Receipt.over
    withUnsafeTemporaryAllocation(byteCount: Self.readBytes, alignment: 1) { buffer in
      while true {
        let count = recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EINTR { continue }
        if count > 0 { bytes += UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
        if count > 0 || count < 0 && errno == EAGAIN { receipt = .some }
        return
      }
    }
    return receipt
  }
}
