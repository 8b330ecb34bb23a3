import Glibc
import Timeshift

/// A directory that goes away with its last reference, and all that is in it.
public final class TemporaryDirectory: Sendable {
  public let path: String

  /// - Parameter parent: where it is made: on a disk, or in memory as `/dev/shm`, where a sync costs nothing.
  public init(in parent: String = "/tmp") {
    var template = Array("\(parent)/longwave-test-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil, "there is room in \(parent)")
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit { remove() }

  /// With all that is in it; links are not followed.
  public func remove() { Self.remove(path) }

  static func remove(_ path: String) {
    for name in FileCalls.posix.list(path).names {
      let inner = "\(path)/\(name)"
      if unlink(inner) != 0 { remove(inner) }
    }
    rmdir(path)
  }

  public var names: [String] { FileCalls.posix.list(path).names.sorted() }

  /// The path of a file in it, whether it is there or not.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// What a file holds; empty if it is not there.
  public func read(_ name: String) -> [UInt8] { (try? readFile(file(name))) ?? [] }

  /// Writes a file and returns its path.
  @discardableResult
  public func write(_ name: String, _ bytes: [UInt8]) -> String {
    let file = open(file(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(file >= 0, "a test can write its own directory")
    defer { close(file) }
    let count = pwrite(file, bytes, bytes.count, 0)
    precondition(count == bytes.count, "there is room in /tmp")
    return self.file(name)
  }
}

/// The whole of a file, also of one that tells no size, as those of `/proc`.
public func readFile(_ path: String) throws -> [UInt8] {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else {
    throw Tool.Failure(description: "\(path): \(String(cString: strerror(errno)))")
  }
  defer { close(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 64 * 1024)
  while true {
    let count = Glibc.read(file, &buffer, buffer.count)
    guard count > 0 else { return bytes }
    bytes += buffer[..<count]
  }
}
