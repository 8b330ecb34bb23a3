import Glibc

/// What the first bytes of SQLite's files tell: how long the files must at least be, and whose they are.
///
/// They show that somebody has emptied a file, cut it short or written over it where it is, with the same inode. The
/// formats: sqlite.org/fileformat2.html, 1.3 and 4.1; sqlite.org/walformat.html, 2.
enum DatabaseShape {
  /// The database's own file.
  struct Header: Hashable, Sendable {
    /// Bytes that the file has at least.
    var bytes: UInt64
    /// See `DatabaseMark`; 0 for none.
    var mark: UInt32

    static let byteCount = 100

    /// Nil when it is no database.
    init?(_ header: [UInt8]) {
      guard header.count >= Self.byteCount, header.starts(with: "SQLite format 3\0".utf8) else {
        return nil
      }
      let pages = header.bigEndian(at: 28)
      // 1 stands for 65,536. The number of pages holds only where it was written with the last change.
      let page = UInt64(header[16]) << 8 | UInt64(header[17])
      let isCounted = header.bigEndian(at: 24) == header.bigEndian(at: 92)
      bytes = isCounted ? UInt64(pages) * (page == 1 ? 65_536 : page) : UInt64(Self.byteCount)
      mark = header.bigEndian(at: 68)
    }
  }

  /// The index of a write-ahead log that is in use.
  struct LogIndex: Hashable, Sendable {
    /// Bytes that the log has at least; 0 when the database has all that is in it.
    var bytes: UInt64
    /// Two numbers that the log has at `saltPlace`.
    var salt: [UInt8]

    static let byteCount = 104
    static let saltPlace = 16
    static let saltBytes = 8

    /// Nil when it says nothing.
    init?(_ index: [UInt8]) {
      // The index begins with two copies; while they differ, it is being written.
      guard index.count >= Self.byteCount, index[12] != 0, index[..<48] == index[48..<96] else {
        return nil
      }
      let frames = index.native(at: 16)
      // 1 stands for 65,536.
      let size = UInt64(index.native(at: 14, count: 2))
      let page = (size & 0xfe00) | (size & 1) << 16
      bytes = frames > index.native(at: 96) ? 32 + UInt64(frames) * (24 + page) : 0
      salt = Array(index[32..<32 + Self.saltBytes])
    }
  }
}

extension [UInt8] {
  fileprivate func bigEndian(at place: Int) -> UInt32 {
    self[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// In this machine's order, which is the one of all machines that Longwave runs on: the lowest byte first.
  fileprivate func native(at place: Int, count: Int = 4) -> UInt32 {
    self[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
