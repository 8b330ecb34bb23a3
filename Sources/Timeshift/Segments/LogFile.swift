import Glibc

/// An open file of a log, closed with its last reference.
final class LogFile: Sendable {
  let descriptor: Int32
  let path: String
  let files: FileCalls

  init(_ path: String, _ flags: Int32, _ files: FileCalls) throws(StorageError) {
    let result = files.open(path, flags)
    if result < 0 { throw StorageError(call: "open", path: path, code: -result) }
    descriptor = result
    self.path = path
    self.files = files
  }

  deinit { files.close(descriptor) }

  func size() throws(StorageError) -> UInt64 {
    let size = files.size(descriptor)
    if size < 0 { throw StorageError(call: "fstat", path: path, code: Int32(-size)) }
    return UInt64(size)
  }

  /// Writes all bytes or throws; a disk that takes only some gets the rest in another call.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = files.write(descriptor, rest, offset + UInt64(written))
      if count < 0 { throw StorageError(call: "write", path: path, code: Int32(-count)) }
      if count == 0 { throw StorageError(call: "write", path: path, code: ENOSPC) }
      precondition(count <= rest.count, "the kernel does not write more than it is given")
      written += count
    }
  }

  func write(_ bytes: [UInt8], at offset: UInt64 = 0) throws(StorageError) {
    var failure: StorageError?
    bytes.withUnsafeBytes { buffer in
      do throws(StorageError) { try write(buffer, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Reads `count` bytes, fewer only at the end of the file.
  func read(_ count: Int, at offset: UInt64) throws(StorageError) -> [UInt8] {
    var error: StorageError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { array, filled in
      let buffer = UnsafeMutableRawBufferPointer(array)
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<count])
        let got = files.read(descriptor, rest, offset + UInt64(filled))
        if got < 0 { error = StorageError(call: "read", path: path, code: Int32(-got)) }
        if got <= 0 { return }
        filled += got
      }
    }
    if let error { throw error }
    return bytes
  }

  func truncate(to length: UInt64) throws(StorageError) {
    let result = files.truncate(descriptor, length)
    if result < 0 { throw StorageError(call: "truncate", path: path, code: -result) }
  }

  /// Whether the file was deleted, or it or its folder was replaced. Bytes written to it would be lost.
  var isMissing: Bool { files.isNamed(descriptor, path) == 0 }

  func sync() throws(StorageError) {
    let result = files.sync(descriptor)
    if result < 0 { throw StorageError(call: "fdatasync", path: path, code: -result) }
  }
}
