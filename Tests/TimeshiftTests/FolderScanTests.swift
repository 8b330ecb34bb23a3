import Glibc
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

@Suite struct FolderScanTests {
  /// Something that has happened to a folder with four segments, and what a scan then finds.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    /// The segments by number, in order, with what is wrong with them.
    var found: String
    /// What a scan finds when the folder has been mended; nil: `found`.
    var mended: String?
    var change: @Sendable (Folder) -> Void = { _ in }

    var testDescription: String { name }
  }

  /// A closed log's folder: segments 0 to 3, of which 1 to 3 may not be synced yet.
  struct Folder {
    let directory = TemporaryDirectory()
    let starts: [UInt64]
    let disk = FailingFiles()

    init() throws {
      starts = try Self.whole.get().starts
      for (name, bytes) in try Self.whole.get().files { directory.write(name, bytes) }
    }

    private static let whole = Result { try make() }

    private static func make() throws -> (files: [String: [UInt8]], starts: [UInt64]) {
      var configuration = LogConfiguration(retention: MediaTime(seconds: 3600))
      configuration.segment = MediaTime(seconds: 4)
      let disk = try LogOnDisk(configuration)
      disk.log.markTitle(Title(text: "One"))
      disk.feed(seconds: 14)
      disk.log.close()
      let names = disk.directory.names
      let starts = names.filter { $0.hasSuffix(".idx") }
        .compactMap { SegmentFormat.parse(name: $0)?.position }
      let files = names.map { ($0, disk.directory.read($0)) }
      return (Dictionary(uniqueKeysWithValues: files), starts.sorted())
    }

    func name(_ segment: Int, _ kind: String) -> String {
      "\(SegmentFormat.name(starts[segment])).\(kind)"
    }

    func edit(_ segment: Int, _ kind: String, _ change: (inout [UInt8]) -> Void) {
      var bytes = directory.read(name(segment, kind))
      change(&bytes)
      directory.write(name(segment, kind), bytes)
    }

    func remove(_ name: String) { _ = FileCalls.posix.remove("\(directory.path)/\(name)") }

    var contents: [String: [UInt8]] {
      Dictionary(uniqueKeysWithValues: directory.names.map { ($0, directory.read($0)) })
    }

    /// What a scan finds, in words.
    func scan() -> String {
      do throws(StorageError) {
        return words(of: try FolderScan(directory: directory.path, files: disk.calls))
      } catch {
        return error.code == 0 ? "refused" : "error \(error.code)"
      }
    }

    func words(of scan: FolderScan) -> String {
      var words: [(UInt64, String)] = scan.lists.segments.map { segment in
        let isCut = scan.cuts.contains { $0.file === segment.file }
        return (segment.start.position, isCut ? " cut" : "")
      }
      words += scan.unbelieved.keys.map { ($0, " not believed") }
      let segments = words.sorted { $0.0 < $1.0 }.map { position, word in
        (starts.firstIndex(of: position).map(String.init) ?? "stranger") + word
      }
      let left = scan.leftOut.map { "unread \($0.code)" }
      return (segments + left + (scan.isClaimed ? [] : ["no id"])).joined(separator: ", ")
    }
  }

  static let cases: [Case] = [
    Case(name: "nothing", found: "0, 1, 2, 3"),
    Case(name: "no id file", found: "0, 1, 2, 3, no id", mended: "0, 1, 2, 3") {
      $0.remove(SegmentFormat.idFile)
    },
    Case(name: "another id", found: "0, 1, 2, 3, no id", mended: "0, 1, 2, 3") {
      $0.directory.write(SegmentFormat.idFile, [UInt8](repeating: 3, count: 16))
    },
    Case(name: "no index", found: "0, 1 not believed, 2, 3", mended: "0, 2, 3") {
      $0.remove($0.name(1, "idx"))
    },
    Case(name: "no audio", found: "0, 1 not believed, 2, 3", mended: "0, 2, 3") {
      $0.remove($0.name(1, "mp3"))
    },
    Case(name: "another program's index", found: "0, 1 not believed, 2, 3", mended: "0, 2, 3") {
      $0.directory.write($0.name(1, "idx"), [1, 2, 3])
    },
    Case(name: "no footer", found: "0 cut, 1, 2, 3", mended: "0, 1, 2, 3") {
      $0.edit(0, "idx") { $0.removeLast(SegmentFormat.footerBytes) }
    },
    Case(name: "no record", found: "0, 1, 2, 3 not believed", mended: "0, 1, 2") {
      $0.edit(3, "idx") { $0.removeLast($0.count - SegmentFormat.headerBytes) }
    },
    Case(name: "audio cut off", found: "0 cut, 1, 2, 3", mended: "0, 1, 2, 3") {
      $0.edit(0, "mp3") { $0.removeLast(100) }
    },
    Case(name: "audio flipped in an old segment", found: "0, 1, 2, 3") {
      $0.edit(0, "mp3") { $0[$0.count / 2] ^= 1 }
    },
    Case(name: "audio flipped in a new segment", found: "0, 1 cut, 2, 3", mended: "0, 1, 2, 3") {
      $0.edit(1, "mp3") { $0[$0.count / 2] ^= 1 }
    },
    Case(
      name: "audio flipped at the beginning", found: "0, 1, 2, 3 not believed", mended: "0, 1, 2"
    ) { $0.edit(3, "mp3") { $0[0] ^= 1 } },
    Case(
      name: "a copy under another name", found: "0, 1, 2, 3, stranger not believed",
      mended: "0, 1, 2, 3"
    ) { folder in
      for kind in ["idx", "mp3"] {
        let bytes = folder.directory.read(folder.name(1, kind))
        folder.directory.write("\(SegmentFormat.name(folder.starts[3] * 2)).\(kind)", bytes)
      }
    },
    Case(name: "an old index that is not given", found: "0, 2, 3, unread 5") {
      $0.deny($0.name(1, "idx"))
    },
    Case(name: "old audio that is not given", found: "0, 2, 3, unread 5") {
      $0.deny($0.name(1, "mp3"))
    },
    Case(name: "the newest index is not given", found: "error 5") { $0.deny($0.name(3, "idx")) },
    Case(name: "the id file is not given", found: "error 5") { $0.deny(SegmentFormat.idFile) },
    Case(name: "a newer format", found: "refused") {
      $0.edit(2, "idx") { index in
        index[8] = 2
        let body = SegmentFormat.headerBytes - 4
        var writer = ByteWriter()
        writer.put(crc32c(index[..<body]))
        index.replaceSubrange(body..<body + 4, with: writer.bytes)
      }
    },
  ]

  @Test(arguments: cases)
  func `a scan tells what a folder holds and writes nothing`(_ given: Case) throws {
    let folder = try Folder()
    given.change(folder)
    let before = folder.contents
    #expect(folder.scan() == given.found)
    #expect(folder.contents == before)
  }

  @Test(arguments: cases)
  func `a mended folder needs no mending and has the same past`(_ given: Case) throws {
    let folder = try Folder()
    given.change(folder)
    guard let scan = try? FolderScan(directory: folder.directory.path, files: folder.disk.calls)
    else { return }
    let mended = try FolderMend(scan)
    #expect(folder.scan() == given.mended ?? given.found)
    let again = try FolderScan(directory: folder.directory.path, files: folder.disk.calls)
    #expect(again.id == mended.id && again.lists.edge == mended.lists.edge)
    #expect(again.lists.bytesOnDisk == mended.lists.bytesOnDisk)
    #expect(again.lists.segments.map(\.end) == scan.lists.segments.map(\.end))
    #expect(again.lists.titles == scan.lists.titles)
  }

  @Test func `a scan makes no folder and a mend makes one with an id`() throws {
    let directory = TemporaryDirectory()
    let path = "\(directory.path)/station"
    #expect(throws: StorageError.self) { try FolderScan(directory: path, files: .posix) }
    #expect(directory.names.isEmpty)
    let id = try FolderMend(directory: path, files: .posix).id
    #expect(try FolderScan(directory: path, files: .posix).id == id)
  }

  @Test func `a folder is scanned while its log is written, given up and sealed`() throws {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 20))
    configuration.segment = MediaTime(seconds: 2)
    let written = try LogOnDisk(configuration)
    written.feed(seconds: 1)
    let (log, path) = (written.log, written.directory.path)
    let id = try FolderScan(directory: path, files: .posix).id
    let isWritten = Flag()
    let faults = Mutex<[String]>([])
    let scans = Atomic(0)
    _ = sumInThreads(1) { _ in
      repeat {
        let least = log.lists.withLock { $0.diskEdge }
        let scan = Result { () throws(StorageError) in
          try FolderScan(directory: path, files: .posix)
        }
        let edge = (try? scan.get())?.lists.edge.position ?? 0
        if edge < least || edge > log.edgePosition || (try? scan.get())?.id != id {
          faults.withLock { $0.append("written \(least), found \(edge): \(scan)") }
        }
        scans.add(1, ordering: .sequentiallyConsistent)
        usleep(1000)
      } while !isWritten.isSet
      return 0
    } meanwhile: {
      for _ in 0..<60 {
        let before = scans.load(ordering: .sequentiallyConsistent)
        written.feed(seconds: 1)
        // A scan that takes longer than the log keeps its files finds none of them.
        while scans.load(ordering: .sequentiallyConsistent) == before { usleep(100) }
      }
      isWritten.set()
    }
    #expect(faults.withLock { $0 } == [])
    #expect(log.oldest.position > 0 && written.isWholeAndKnown && written.events.isEmpty)
    let scan = try FolderScan(directory: path, files: .posix)
    #expect(scan.lists.edge == log.edge && scan.cuts.count == 1 && scan.unbelieved.isEmpty)
    log.close()
    #expect(try LogOnDisk(configuration, in: written.directory).log.edge == log.edge)
  }
}

extension FolderScanTests.Folder {
  func deny(_ name: String) { disk.set { $0.openErrors[name] = EIO } }
}
