import Glibc
import Timeshift

/// Descriptors of the files in one folder: other tests open theirs at the same time.
public func openDescriptors(below folder: String) -> Int {
  FileCalls.posix.list("/proc/self/fd").names.count { name in
    var target = [UInt8](repeating: 0, count: 4096)
    let count = target.withUnsafeMutableBytes {
      readlink(
        "/proc/self/fd/\(name)", $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
    }
    return count > 0 && String(decoding: target[..<count], as: UTF8.self).hasPrefix(folder)
  }
}
