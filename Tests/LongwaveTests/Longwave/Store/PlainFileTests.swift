import Foundation
import Glibc
import Logging
import TestSupport
import Testing
import Timeshift

@testable import Longwave
@testable import LongwaveAdmin
@testable import Store

/// What stands in the data folder where files should.
@Suite struct PlainFileTests {
  let folder = TemporaryDirectory()

  private func mode(_ name: String) -> mode_t {
    var status = stat()
    return stat(folder.path + "/" + name, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  /// A file of everybody's, and a link to it.
  private func link(_ name: String) {
    folder.write("theirs", Array("theirs".utf8))
    chmod(folder.path + "/theirs", 0o644)
    symlink(folder.path + "/theirs", folder.path + "/" + name)
  }

  @Test(arguments: ["longwave.db", "longwave.db-wal", "longwave.db-shm"])
  func `a link in a database's place is refused, and what it leads to stays as it is`(
    name: String
  ) async {
    link(name)
    let path = folder.path + "/longwave.db"
    let error = await #expect(throws: StoreError.self) { try await StationStore.open(path) }
    #expect(error.map { "\($0)".contains("\(folder.path)/\(name) is a link") } == true)
    #expect(mode("theirs") == 0o644 && folder.read("theirs") == Array("theirs".utf8))
  }

  @Test(.timeLimit(.minutes(2))) func `a pipe in a database's place is refused`() async {
    mkfifo(folder.path + "/longwave.db", 0o600)
    let error = await #expect(throws: StoreError.self) {
      try await StationStore.open(folder.path + "/longwave.db")
    }
    #expect(error.map { "\($0)".contains("is not a file") } == true)
  }

  @Test func `a link in the lock's place is refused, and what it leads to is not emptied`() {
    link("lock")
    #expect(throws: DataDirectoryError.self) { try DataDirectory.open(folder.path) }
    #expect(DataDirectory.use(of: folder.path) == .unknown(String(cString: strerror(ELOOP))))
    #expect(folder.read("theirs") == Array("theirs".utf8))
  }

  @Test(.timeLimit(.minutes(2))) func `the ledger of starts waits for no pipe and follows no link`()
    async
  {
    mkfifo(folder.path + "/starts", 0o600)
    link("starts.new")
    let watch = StartWatch(data: folder.path)
    #expect(watch.safeMode == nil)
    #expect(StartWatch.ledger(in: folder.path).starts.count == 1)
    #expect(folder.read("theirs") == Array("theirs".utf8))
  }

  @Test(.timeLimit(.minutes(2))) func `a pipe in a password file's place is told`() async {
    mkfifo(folder.path + "/htpasswd", 0o600)
    let error = #expect(throws: ConfigurationError.self) {
      try NamedFile.contents(ofFile: folder.path + "/htpasswd")
    }
    #expect(error.map { "\($0)".contains("is not a file") } == true)
  }

  @Test(.timeLimit(.minutes(2))) func `a folder or a pipe in a configuration's place is told`()
    async
  {
    mkfifo(folder.path + "/pipe", 0o600)
    for (path, what) in [
      (folder.path, "is a folder, not a file; name the file in it"),
      ("pipe", "is not a file; name a regular one"),
    ] {
      let path = path == "pipe" ? folder.path + "/pipe" : path
      let error = #expect(throws: ConfigurationError.self) { try Configuration.load(file: path) }
      #expect(error?.problems.map(\.description) == ["\(path): \(what)"])
    }
    let error = await #expect(throws: ConfigurationError.self) {
      try await StationCandidate.read(from: folder.path)
    }
    #expect(
      error?.problems.map(\.description) == [
        "\(folder.path): is a folder, not a file; name the file in it"
      ])
    let gone = #expect(throws: ConfigurationError.self) {
      try Configuration.load(file: folder.path + "/gone")
    }
    #expect(
      gone?.problems.map(\.description) == ["\(folder.path)/gone: no such file; write where it is"])
  }

  @Test(.timeLimit(.minutes(2))) func `a list comes through a pipe`() async throws {
    mkfifo(folder.path + "/list.m3u", 0o600)
    folder.write("list", Array("#EXTM3U\n#EXTINF:-1,Jazz\nhttp://127.0.0.1:1/jazz\n".utf8))
    let writer = try ChildProcess(["cp", folder.path + "/list", folder.path + "/list.m3u"])
    let stations = try await StationCandidate.read(from: folder.path + "/list.m3u")
    #expect(stations.map(\.label) == ["Jazz"])
    withExtendedLifetime(writer) {}
  }

  @Test(.timeLimit(.minutes(2))) func `a recording goes on in no pipe`() async {
    mkfifo(folder.path + "/show.mp3", 0o600)
    #expect(throws: RecordingError.self) {
      try RecordingFile("show", ending: "mp3", in: folder.path, appends: true)
    }
  }
}
