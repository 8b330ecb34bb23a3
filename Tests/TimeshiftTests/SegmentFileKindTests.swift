import Glibc
import TestSupport
import Testing

@testable import Timeshift

/// What stands in a log's folder where its files should.
@Suite struct SegmentFileKindTests {
  /// A log of two segments, closed.
  private func written() throws -> (TemporaryDirectory, [String]) {
    let disk = try LogOnDisk()
    disk.feed(seconds: 70)
    disk.log.close()
    return (disk.directory, disk.directory.names)
  }

  private func replace(_ name: String, in directory: TemporaryDirectory, link target: String?) {
    let path = "\(directory.path)/\(name)"
    unlink(path)
    if let target { symlink(target, path) } else { mkfifo(path, 0o600) }
  }

  @Test(.timeLimit(.minutes(2)), arguments: ["idx", "mp3"])
  func `a pipe in place of a segment's file is set aside, and the log goes on`(kind: String)
    async
    throws
  {
    let (directory, names) = try written()
    let name = names.last { $0.hasSuffix(kind) }!
    replace(name, in: directory, link: nil)
    let again = try LogOnDisk(in: directory)
    #expect(again.log.snapshot().segmentsSetAside == 1 && again.log.edge.position > 0)
    again.feed(seconds: 5)
    #expect(again.isWholeAndKnown && directory.names.contains("\(name).bad"))
    // Looked at again, for what they come to.
    again.log.close()
    _ = try LogOnDisk(in: directory)
  }

  @Test(.timeLimit(.minutes(2)))
  func `a pipe in place of the log's id is replaced`() async throws {
    let (directory, _) = try written()
    replace("log.id", in: directory, link: nil)
    let again = try LogOnDisk(in: directory)
    #expect(again.isWholeAndKnown && again.log.snapshot().segmentsSetAside == 0)
    #expect(directory.read("log.id").count == SegmentFormat.idBytes)
  }

  @Test func `a link in place of a segment's file is not followed, to be read or to be written`()
    throws
  {
    let (directory, names) = try written()
    let other = TemporaryDirectory()
    other.write("theirs", Array("theirs".utf8))
    for name in names.suffix(3) where name != "log.id" {
      replace(name, in: directory, link: "\(other.path)/theirs")
    }
    let next = try LogOnDisk(in: directory)
    // Where the next segment goes, too.
    let edge = SegmentFormat.name(next.log.edge.position)
    for kind in ["idx", "mp3"] {
      symlink("\(other.path)/theirs", "\(directory.path)/\(edge).\(kind)")
    }
    next.feed(seconds: 3)
    #expect(other.read("theirs") == Array("theirs".utf8))
    // It is put out of the way.
    #expect(next.log.snapshot().storage == .healthy && next.isWholeAndKnown)
    #expect(directory.names.contains("\(edge).mp3\(SetAside.ending)"))
    next.log.close()
  }

  @Test func `a station's folder may be a link of our own, to another disk`() throws {
    let (disk, other) = (TemporaryDirectory(), TemporaryDirectory())
    symlink(other.path, "\(disk.path)/jazz")
    let storage = Storage()
    let log = try PacketLog.open(
      directory: "\(disk.path)/jazz",
      configuration: LogConfiguration(retention: MediaTime(seconds: 60)), storage: storage,
      at: ManualClock().now, report: { _ in })
    log.close()
    #expect(other.names == ["log.id"])
  }

  @Test(.enabled(if: geteuid() == 0))
  func `a link that is another user's leads nowhere`() throws {
    let (disk, other) = (TemporaryDirectory(), TemporaryDirectory())
    let link = "\(disk.path)/stations"
    symlink(other.path, link)
    lchown(link, 65534, 65534)
    let error = #expect(throws: StorageError.self) {
      try PacketLog.open(
        directory: "\(link)/jazz",
        configuration: LogConfiguration(retention: MediaTime(seconds: 60)), storage: Storage(),
        at: ManualClock().now, report: { _ in })
    }
    #expect(error?.description.contains("\(link): is a link of another user's (65534)") == true)
    #expect(!other.names.contains { $0 == "log.id" })
  }
}
