import Glibc
import Media

/// Whether the kernel tells what changes in a folder.
public enum WatchRule {
  /// Returns why a folder is not watched, in words for people; nil when it is. Blocks.
  public static func refusal(_ path: String) -> String? {
    guard let table = contents("/proc/self/mountinfo") else {
      return "the system does not tell on what disk it is"
    }
    guard let real = PrivateFolder.real(path),
      let kind = MountTable(table).kind(of: Array(real.utf8))
    else { return "it is on no disk that is known" }
    return MountTable.isLocal(kind)
      ? nil : "it is on \(kind), which does not tell what others change"
  }

  /// The most bytes of a table: thousands of mounts.
  private static let bytesMax = 4 << 20

  private static func contents(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 64 << 10))
    while bytes.count < bytesMax {
      let count = read(file, &buffer, buffer.count)
      guard count >= 0 else { return nil }
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    return bytes
  }
}
