import CLinux
import Glibc
import Synchronization
import Timeshift

/// An open audio file, closed with its last reference.
public final class MediaFile: Sendable {
  /// A file's identity, known without reading the file. Changed content has another identity.
  public struct Identity: Hashable, Sendable {
    public var device: UInt64
    public var inode: UInt64
    public var bytes: UInt64
    /// Nanoseconds since 1970.
    public var modified: Int64

    package init(device: UInt64, inode: UInt64, bytes: UInt64, modified: Int64) {
      (self.device, self.inode, self.bytes, self.modified) = (device, inode, bytes, modified)
    }
  }

  public let descriptor: Int32
  public let identity: Identity

  public var bytes: UInt64 { identity.bytes }

  /// Takes over an open descriptor; closes it unless it is a regular file's.
  package init?(taking descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.isRegularFile else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    identity = Identity(status)
  }

  deinit { close(descriptor) }

  /// The file's identity as it is by now; nil where its disk does not tell.
  package var identityNow: Identity? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Identity(status) : nil
  }

  private let keptNow = Mutex<(any Sendable & AnyObject)?>(nil)

  /// Keeps an object for as long as the file is open; replaces the one before.
  public func keep(_ object: some Sendable & AnyObject) { keptNow.withLock { $0 = object } }

  /// The object that the file keeps; nil without one.
  public var kept: (any Sendable & AnyObject)? { keptNow.withLock { $0 } }

  /// Reads until the buffer is full or the file ends; returns the number of bytes. Blocks.
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

  /// Brings a piece into the page cache, and lets the kernel begin with the next. Blocks.
  ///
  /// - Returns: false if the piece cannot be read.
  public func fetch(at offset: UInt64, count: Int) -> Bool {
    _ = posix_fadvise(descriptor, off_t(offset), off_t(4 * count), Int32(POSIX_FADV_WILLNEED))
    return withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { buffer in
      (try? read(buffer, at: offset)) != nil
    }
  }

  public enum Presence { case present, absent, unknown }

  /// Whether a byte is in the page cache; unknown if the file system does not tell.
  public func presence(at offset: UInt64) -> Presence {
    var byte: UInt8 = 0
    let count = linux_pread_nowait(descriptor, &byte, 1, Int64(offset))
    if count >= 0 { return .present }
    return errno == EOPNOTSUPP ? .unknown : .absent
  }
}

extension MediaFile.Identity {
  package init(_ status: stat) {
    self.init(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
      bytes: UInt64(max(0, status.st_size)), modified: Moment.nanoseconds(of: status.st_mtim))
  }
}

extension MediaFile {
  // Twice an Ogg page, the longest unit that must be in one piece.
  private static let pieceBytes = 128 * 1024

  /// Passes the file from `start` on to `take`, piece by piece. Blocks.
  ///
  /// - Parameter take: receives bytes, the position of the first, and whether they are the last. Returns how many bytes
  ///   it used, or nil to stop.
  package func walk(
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
      // No unit needs more than a piece; a file that claims a longer one has no further audio.
      guard done > 0 else { return }
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[done..<filled]))
      base += UInt64(done)
      filled -= done
    }
  }
}
