import Glibc
import TestSupport
import Testing

@testable import Longwave
@testable import LongwaveAdmin

/// What a check of a configuration finds on the machine.
@Suite struct ConfigurationProblemTests {
  private let folder = TemporaryDirectory()
  private var data: String { folder.path + "/data" }

  private func problems(_ yaml: String, openFiles: Int = 20_000) throws -> [String] {
    let text = yaml.replacing("@", with: folder.path)
    let configuration = try Configuration.parse(yaml: text, file: "c.yml")
    let report = ConfigurationReport.looking(configuration, data: data, openFiles: openFiles)
    do throws(ConfigurationError) {
      try report.requireNoProblem()
      return []
    } catch {
      return error.problems.map { "\($0)".replacing(folder.path, with: "@") }
    }
  }

  @Test func `missing files of a configuration are told at once, in the order of the lines`() throws
  {
    folder.write("empty.pem", [])
    folder.write("users", Array("ann:secret\n".utf8))
    mkdir(folder.path + "/requests", 0o700)
    let found = try problems(
      """
      upstream: {ca-file: "@/none.pem"}
      log: {access: "@/requests", playlist: "@/none/titles.log"}
      stations:
        - {id: a, files: "@/shows"}
        - {id: b, upstream: "https://h/x", ca-file: "@/empty.pem", auth: {htpasswd: "@/users"}}
        - {id: c, upstream: "http://h/x", auth: {htpasswd: "@/nobody"}}
      """)
    #expect(
      found == [
        "c.yml: log.access: @/requests is a folder; name a file in it",
        "c.yml: log.playlist: @/none/titles.log cannot be made: No such file or directory; make @/none",
        "c.yml: upstream.ca-file: @/none.pem: No such file or directory; name a file of certificates in PEM format",
        "c.yml:4: stations.a.files: @/shows: No such file or directory; make the folder, or write where it is",
        "c.yml:5: stations.b.auth.htpasswd: @/users:1: \"ann\" has a kind of hash that is not supported; make it with htpasswd -B",
        "c.yml:5: stations.b.ca-file: @/empty.pem has no certificate; name a file of them in PEM format",
        "c.yml:6: stations.c.auth.htpasswd: @/nobody: No such file or directory; make it with htpasswd -B, or write where it is",
      ])
    mkdir(folder.path + "/shows", 0o700)
    mkdir(folder.path + "/none", 0o700)
    #expect(
      try problems(
        """
        log: {access: "@/requests.log", playlist: "@/none/titles.log"}
        stations: [{id: a, files: "@/shows"}]
        """) == [])
    #expect(folder.names == ["empty.pem", "none", "requests", "shows", "users"])
  }

  @Test func `a folder in which nothing could be recorded is a mistake where something is to be`()
    throws
  {
    let folders = "recordings: {folder: \"@/not-mounted/shows\"}\n"
    let schedule = "record: [{from: 0:00, to: 1:00, keep-count: 1}]"
    let station = "stations: [{id: a, upstream: \"http://h/x\"}]"
    let recorded = "stations: [{id: a, upstream: \"http://h/x\", \(schedule)}]"
    #expect(try problems(folders + station) == [])
    #expect(try problems(recorded) == [])
    #expect(
      try problems(folders + recorded) == [
        "c.yml: recordings.folder: @/not-mounted/shows cannot be written: No such file or directory; "
          + "make @/not-mounted or mount its disk"
      ])
  }

  @Test func `files of the relay's user are no mistake to others who check`() throws {
    // What is closed is closed to nobody who is root.
    guard geteuid() != 0 else { return }
    folder.write("users", [])
    chmod(folder.path + "/users", 0)
    let yaml = "stations: [{id: a, upstream: \"http://h/x\", auth: {htpasswd: \"@/users\"}}]"
    #expect(try problems(yaml).count == 1)
    mkdir(data, 0)
    #expect(try problems(yaml) == [])
  }

  @Test func `a limit of open files too low to start is told as serve tells it`() throws {
    let yaml = "server: {threads: 4}"
    let least = OpenFiles.least(try Configuration.parse(yaml: yaml, file: "").server)
    #expect(try problems(yaml, openFiles: least) == [])
    let found = try problems(yaml, openFiles: least - 1)
    #expect(found.count == 1)
    #expect(
      found.first?.hasPrefix(
        "c.yml: server.threads: serve may have \(least - 1) files open, and needs \(least) at least; "
      ) == true)
  }
}
