import CLinux
import Glibc
import Synchronization

/// The reading ends of a program's output and errors, on their way to a loop. They do not block, and close on exec.
///
/// Whoever takes the descriptors must close them. Untaken ones are closed with the last reference.
public final class ProgramPipes: Sendable {
  private let descriptors: Mutex<(output: Int32, errors: Int32)?>

  init(output: Int32, errors: Int32) {
    descriptors = Mutex((output, errors))
  }

  /// Returns the descriptors to the first caller, and nil to later callers.
  public func claim() -> (output: Int32, errors: Int32)? {
    descriptors.withLock { descriptors in
      defer { descriptors = nil }
      return descriptors
    }
  }

  deinit {
    guard let (output, errors) = claim() else { return }
    close(output)
    close(errors)
  }

  /// Reads the available bytes, up to the buffer's size. The corresponding C function is `read`.
  public static func receive(
    _ fd: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) -> Transferred {
    while true {
      let count = read(fd, buffer.baseAddress, buffer.count)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .ended }
      let code = errno
      if code == EINTR { continue }
      return code == EAGAIN ? .wouldBlock : .ended
    }
  }
}

/// A pipe: the reading end is ours and does not block, the writing end becomes a program's.
struct Pipe: ~Copyable {
  private var ends: (reading: Int32, writing: Int32)

  private init(reading: Int32, writing: Int32) { ends = (reading, writing) }

  /// Makes a pipe. Nil when descriptors are short, or only spare ones are left.
  static func open() -> Pipe? {
    var made: [Int32] = [-1, -1]
    guard linux_pipe(&made) == 0 else { return nil }
    let pipe = Pipe(reading: raised(made[0]), writing: raised(made[1]))
    guard pipe.ends.reading >= 0, pipe.ends.writing >= 0 else { return nil }
    _ = fcntl(pipe.ends.reading, F_SETFL, O_NONBLOCK)
    return pipe
  }

  deinit {
    for end in [ends.reading, ends.writing] where end >= 0 { close(end) }
  }

  var writing: Int32 { ends.writing }

  /// Gives up the reading end, for a caller that closes it; the writing end is closed.
  consuming func reading() -> Int32 {
    let end = ends.reading
    ends.reading = -1
    return end
  }

  /// Moves a descriptor above the three that the program's own are made from. -1: there is none.
  fileprivate static func raised(_ fd: Int32) -> Int32 {
    if fd > 2 { return SpareDescriptors.refuse(fd) }
    defer { close(fd) }
    return SpareDescriptors.refuse(fcntl(fd, F_DUPFD_CLOEXEC, 3))
  }
}

/// A connection with a program: an end of ours, and one that becomes its standard input. Both close on exec.
public enum ProgramSocket {
  /// Makes a pair of connected sockets. Nil when descriptors are short. Whoever takes them must close them.
  public static func pair() -> (ours: Int32, theirs: Int32)? {
    var made: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &made) == 0 else { return nil }
    let (ours, theirs) = (Pipe.raised(made[0]), Pipe.raised(made[1]))
    if ours >= 0, theirs >= 0 { return (ours, theirs) }
    for end in [ours, theirs] where end >= 0 { close(end) }
    return nil
  }
}
