import Foundation
import GRDB
import TestSupport
import Testing

@testable import Longwave
@testable import LongwaveAdmin
@testable import Store

/// What is said of folders and databases that cannot be used.
@Suite struct DiskAdviceTests {
  private func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

  private func refusal(_ path: String) -> MachineFacts.Refusal? {
    MachineProbe.folder(path, used: [path]).refusal
  }

  @Test func `a data folder is free, in use or unknown`() throws {
    let folder = TemporaryDirectory()
    #expect(DataDirectory.use(of: folder.path + "/nothing") == .free)
    let held = try DataDirectory.open(folder.path)
    #expect(DataDirectory.use(of: folder.path) == .inUse)
    held.release()
    #expect(DataDirectory.use(of: folder.path) == .free)
    unlink(folder.path + "/lock")
    mkdir(folder.path + "/lock", 0o700)
    #expect(DataDirectory.use(of: folder.path) == .unknown("\(folder.path)/lock is not a file"))
  }

  @Test func `a relay on a disk that has become read-only is known to run`() throws {
    guard let disk = SmallDisk(kilobytes: 1000) else { return }
    let held = try DataDirectory.open(disk.folder.path)
    guard let view = disk.readOnly() else { return }
    #expect(DataDirectory.use(of: view) == .inUse)
    held.release()
    #expect(DataDirectory.use(of: view) == .free)
  }

  @Test func `a folder that can be written keeps nothing of the trial`() throws {
    let folder = TemporaryDirectory()
    #expect(refusal(folder.path) == nil && refusal(folder.path + "/to/be/made") == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `a folder that cannot be written is told with why and what to do`() throws {
    let folder = TemporaryDirectory()
    folder.write("file", Array("theirs".utf8))
    #expect(refusal(folder.path + "/file")?.reason == reason(ENOTDIR))
    symlink(folder.path + "/loop", folder.path + "/loop")
    for path in ["/loop", "/loop/below"] {
      #expect(refusal(folder.path + path)?.reason == reason(ELOOP), "\(path)")
    }
    let long = "/" + String(repeating: "a", count: 300)
    #expect(refusal(folder.path + long)?.reason == reason(ENAMETOOLONG))
    guard let disk = SmallDisk(kilobytes: 64) else { return }
    if let view = disk.readOnly() {
      #expect(refusal(view)?.reason == reason(EROFS))
      #expect(refusal(view)?.advice.contains("remount,rw") == true)
    }
    disk.fill()
    #expect(refusal(disk.folder.path)?.reason == reason(ENOSPC))
    #expect(refusal(disk.folder.path)?.advice.contains("make room") == true)
  }

  @Test func `a folder for recordings must have its parent folder`() {
    let folder = TemporaryDirectory()
    var configuration = Longwave.Configuration()
    func refusal() -> MachineFacts.Refusal? {
      ConfigurationReport.looking(configuration, data: folder.path + "/data").folders?.recordings
        .refusal
    }
    // The data folder is made with all that is missing on the way, and this in it.
    #expect(refusal() == nil)
    let recordings = folder.path + "/not-mounted/recordings"
    configuration.recordings.folder = recordings
    let error = #expect(throws: RecordingError.self) {
      try RecordingFile("show", ending: "mp3", in: recordings, appends: false)
    }
    #expect(error?.description == "cannot create \(recordings): \(reason(ENOENT))")
    #expect(refusal()?.path == recordings && refusal()?.reason == reason(ENOENT))
    #expect(refusal()?.advice == "make \(folder.path)/not-mounted or mount its disk")
    mkdir(folder.path + "/not-mounted", 0o700)
    #expect(refusal() == nil)
  }

  @Test func `a fault of the lock is told of the lock's file`() throws {
    let folder = TemporaryDirectory()
    mkdir(folder.path + "/lock", 0o700)
    let error = #expect(throws: DataDirectoryError.self) { try DataDirectory.open(folder.path) }
    #expect(
      error?.description
        == "cannot write \(folder.path)/lock: \(reason(EISDIR)); look at \(folder.path)/lock, "
        + "or give another folder by --data")
  }

  @Test func `a file of root's in a folder of the relay's is told with its name and owner`()
    async throws
  {
    guard getuid() == 0, Binary.find("setpriv") != nil else { return }
    let folder = TemporaryDirectory()
    folder.write("lock", [])
    chown(folder.path, 65534, 65534)
    let started = try await ChildProcess.run([
      "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", Binary.longwave, "serve",
      "--data", folder.path, "--listen", "127.0.0.1:0",
    ])
    #expect(started.status == 1)
    #expect(
      started.log.contains("\(folder.path)/lock belongs to root; give it to"), "\(started.log)")
  }

  @Test func `a start on a read-only disk says what to do`() {
    guard let disk = SmallDisk(kilobytes: 64), let view = disk.readOnly() else { return }
    mkdir(disk.folder.path + "/stations", 0o700)
    let error = #expect(throws: DataDirectoryError.self) { try DataDirectory.open(view) }
    #expect(error?.description.contains("remount,rw") == true, "\(String(describing: error))")
  }

  @Test func `a folder that cannot be made is told with where, why and what to do`() {
    let folder = TemporaryDirectory()
    folder.write("file", [])
    let error = #expect(throws: DataDirectoryError.self) {
      try DataDirectory.open(folder.path + "/file/data")
    }
    #expect(
      error?.description
        == "cannot create \(folder.path)/file/data: \(folder.path)/file: \(reason(ENOTDIR)); "
        + "look at \(folder.path)/file, or give another folder by --data")
  }

  @Test func `a broken disk is named with the file and what to do`() {
    let error = DatabaseError(resultCode: .SQLITE_IOERR, message: "disk I/O error")
    let said = StoreError(error, doing: "store jazz", in: "/srv/longwave.db").description
    #expect(
      said == "cannot store jazz: SQLite error 10: disk I/O error; "
        + "the disk of /srv/longwave.db fails: look at it (dmesg)")
  }

  @Test func `a database that cannot be opened is not taken for a broken disk`() {
    let folder = TemporaryDirectory()
    let error = DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "unable to open database file")
    folder.write("longwave.db", [])
    for path in [folder.path + "/missing/longwave.db", folder.path + "/longwave.db"] {
      let said = StoreError(error, doing: "open \(path)", in: path).description
      #expect(said.hasPrefix("cannot open \(path): ") && !said.contains("dmesg"), "\(said)")
    }
  }

  @Test func `a database of somebody else's is told with whose it is`() {
    let folder = TemporaryDirectory()
    folder.write("longwave.db", [])
    chown(folder.path + "/longwave.db", 4_000_000, getgid())
    let path = folder.path + "/longwave.db"
    let said = StoreError(POSIXError(.EACCES), doing: "open \(path)", in: path).description
    #expect(said.hasPrefix("cannot open \(path): \(reason(EACCES)); \(path) belongs to "))
    if getuid() == 0 { #expect(said.contains("belongs to user 4000000; ")) }
  }
}
