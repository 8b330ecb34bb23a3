import CLinux
import Glibc
import Synchronization
import Timeshift

/// An open file with audio in it. It is closed when the last one lets go of it.
public final class MediaFile: Sendable {
  /// What a file's content is told from another by, without reading it.
  public struct Identity: Hashable, Sendable {
    public var device: UInt64
    public var inode: UInt64
    public var bytes: UInt64
    /// Nanoseconds since 1970.
    public var modified: Int64
  }

  public let descriptor: Int32
  public let identity: Identity

  public var bytes: UInt64 { identity.bytes }

  /// Takes an open descriptor, and closes it if it is of no regular file.
  init?(taking descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.isRegularFile else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    identity = Identity(status)
  }

  deinit { close(descriptor) }

  private let keptNow = Mutex<(any Sendable & AnyObject)?>(nil)

  /// Keeps something as long as it is open.
  public func keep(_ object: some Sendable & AnyObject) { keptNow.withLock { $0 = object } }

  /// What it keeps.
  public var kept: (any Sendable & AnyObject)? { keptNow.withLock { $0 } }

  /// Blocks. As many bytes as the buffer takes and the file has; fewer only at the end.
  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StorageError) -> Int
  {
    var count = 0
    while count < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let got = checked {
        pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(count))
      }
      if got < 0 { throw StorageError(call: "read", path: "a file", code: Int32(-got)) }
      if got == 0 { break }
      count += got
    }
    return count
  }

  /// Blocks: brings a piece into the page cache, and lets the kernel begin with what follows.
  /// - Returns: false where it cannot be read.
  public func fetch(at offset: UInt64, count: Int) -> Bool {
    _ = posix_fadvise(descriptor, off_t(offset), off_t(4 * count), Int32(POSIX_FADV_WILLNEED))
    return withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { buffer in
      (try? read(buffer, at: offset)) != nil
    }
  }

  public enum Presence { case present, absent, unknown }

  /// Whether a byte is in the page cache; unknown where the file system does not say.
  public func presence(at offset: UInt64) -> Presence {
    var byte: UInt8 = 0
    let count = linux_pread_nowait(descriptor, &byte, 1, Int64(offset))
    if count >= 0 { return .present }
    return errno == EOPNOTSUPP ? .unknown : .absent
  }
}

extension MediaFile.Identity {
  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    bytes = UInt64(max(0, status.st_size))
    modified = Moment.nanoseconds(of: status.st_mtim)
  }
}

extension MediaFile {
  // Twice an Ogg page, the longest that has to be in one piece.
  private static let pieceBytes = 128 * 1024

  /// Blocks: shows the file from `start` on, piece by piece.
  ///
  /// - Parameter take: told the bytes, where the first of them stands, and whether they are the last; says how many of them it is
  ///   done with, or nil when it has had enough.
  func walk(
    from start: UInt64, _ take: (Span<UInt8>, _ base: UInt64, _ atEnd: Bool) -> Int?
  ) throws(StorageError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.pieceBytes, alignment: 16)
    defer { buffer.deallocate() }
    var base = start
    var filled = 0
    while true {
      let free = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let got = try read(free, at: base + UInt64(filled))
      filled += got
      let atEnd = got < free.count
      let bytes = UnsafeBufferPointer(buffer[..<filled].bindMemory(to: UInt8.self))
      guard let done = take(bytes.span, base, atEnd), !atEnd else { return }
      // More than a piece is never needed at once; what is left of a file that says so is no audio.
      guard done > 0 else { return }
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[done..<filled]))
      base += UInt64(done)
      filled -= done
    }
  }
}
