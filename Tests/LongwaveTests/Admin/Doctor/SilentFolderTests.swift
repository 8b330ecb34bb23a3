import Glibc
import TestSupport
import Testing
import Timeshift

@testable import Longwave
@testable import LongwaveAdmin

/// Whoever looks at the machine looks into no folder whose disk does not answer.
@Suite struct SilentFolderTests {
  private let folder = TemporaryDirectory()
  private var data: String { folder.path + "/data" }

  private func write(_ text: String) -> String {
    folder.write("c.yml", Array(text.utf8))
    return folder.path + "/c.yml"
  }

  @Test(arguments: ["", "/stations"])
  func `the doctor names a data folder that does not answer, and goes on`(part: String) async {
    mkdir(data, 0o700)
    folder.write("data/longwave.db.1.bad", [1])
    let file = write("server: {data: '\(data)', listen: '127.0.0.1:0'}\n")
    let silent = data + part
    let report = await DoctorReport.make(file: file, data: nil, asksNames: false) { path, _ in
      path != silent
    }
    let found = report.findings.filter { $0.subject == "data" }
    #expect(
      found == [
        Finding(
          .fail, "data", "\(silent): its disk has not answered for 10 s",
          advice: "look at the disk, or at the network that it is on (dmesg, mount), or choose "
            + "another folder (server: data, --data)")
      ])
    #expect(!report.findings.contains { $0.subject == "disk" })
    #expect(report.findings.contains { $0.subject == "clock" })
    #expect(report.findings.contains { $0.subject == "open files" })
  }

  @Test func `doctor asks nothing of a silent folder, and looks into the others`() async {
    mkdir(data, 0o700)
    mkdir(data + "/stations", 0o700)
    symlink(folder.path, data + "/stations/jazz")
    let file = write("server: {data: '\(data)'}\nrecordings: {folder: '\(folder.path)/shows'}\n")
    let report = await DoctorReport.make(file: file, data: nil, asksNames: false) {
      [folder] path, _ in !path.hasPrefix(folder.path + "/shows") && !path.hasSuffix("/jazz")
    }
    let said = report.findings.filter { $0.text.contains("has not answered") }
    #expect(said.map(\.subject) == ["recordings", "folder"])
    #expect(said.last?.text.hasPrefix(data + "/stations/jazz: ") == true)
    #expect(report.findings.contains { $0 == Finding(.ok, "data", "\(data) can be written") })
  }

  @Test func `a check of the configuration names a silent folder, and says the rest`() async throws
  {
    let missing = folder.path + "/music"
    let configuration = try Longwave.Configuration.load(
      file:
        write("stations: [{id: old, files: '\(missing)'}]\n"))
    await #expect(throws: ConfigurationError.self) {
      try await ConfigurationReport.checking(configuration, data: data)
    }
    let report = try await ConfigurationReport.checking(configuration, data: data) { path, _ in
      path != missing
    }
    #expect(!report.isWhole)
    #expect(report.lines.contains("silent     \(missing): its disk has not answered for 10 s"))
    #expect(report.json["silent"] == [.string(missing)])
    #expect(report.lines.contains("stations   1"))
  }

  @Test func `a folder that is there, missing or closed answers, and is left as it was`() {
    for path in [folder.path, folder.path + "/a/b", "/proc/1/fd", "/", folder.path + "/c.yml"] {
      #expect(FolderQuestion.isAnswered(path, writes: path == folder.path, within: 60))
    }
    #expect(folder.names.isEmpty)
  }
}
