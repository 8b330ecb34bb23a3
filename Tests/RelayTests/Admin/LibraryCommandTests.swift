import Foundation
import Glibc
import Longwave
import TestSupport
import Testing
import Wire

/// The music library by command.
@Suite struct LibraryCommandTests {
  private let music = TemporaryDirectory()
  private let data = TemporaryDirectory()

  private func write(_ name: String, _ number: UInt64) {
    music.makeFolders(of: name)
    music.write(name, NumberedFrames.stream(number * 1000..<number * 1000 + 60))
    music.age(name)
  }

  private func longwave(_ arguments: String...) async throws -> ChildProcess.Result {
    try await LongwaveProcess.command(arguments, data: data.path)
  }

  private func withRelay(_ body: () async throws -> Void) async throws {
    let configuration = data.write(
      "c.yml", Array("library: {roots: [{id: main, path: \(music.path)}]}\n".utf8))
    let server = try await LongwaveProcess(["serve", "--config", configuration], data: data.path)
    try await body()
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }

  private func root() async throws -> JSON? {
    try await longwave("library", "status", "--json").json["roots"]?.items.first
  }

  @Test func `what is accepted of a root is said, with what is gone`() async throws {
    for number in 0..<4 { write("\(number).mp3", UInt64(number)) }
    try await withRelay {
      try await eventually("the files are known") {
        try await root()?["tracks"]?.integer == 4
      }
      let same = try await longwave("library", "scan", "--accept")
      #expect(same.output.hasPrefix("main: accepted; nothing was gone, 4 files there\n"))
      for number in 0..<4 { unlink(music.file("\(number).mp3")) }
      _ = try await longwave("library", "scan")
      try await eventually("it is not believed") {
        try await root()?["state"]?.string == "suspect"
      }
      let accepted = try await longwave("library", "scan", "main", "--accept")
      #expect(
        accepted.output.hasPrefix("main: accepted; 4 files gone and forgotten, 0 files there\n"),
        "\(accepted.output)")
      rename(music.path, music.path + "-away")
      let away = try await longwave("library", "scan", "main", "--accept")
      rename(music.path + "-away", music.path)
      #expect(away.output.hasPrefix("main: is still not believed: "), "\(away.output)")
      #expect(try await longwave("library", "scan", "none", "--accept").status == 1)
    }
  }

  @Test func `folders whose names are no UTF-8 are shown, and listed`() async throws {
    let odd = Array((music.path + "/j").utf8) + [0xFF]
    let inner = odd + Array("/in".utf8)
    for path in [odd, inner] {
      try #require(
        (path + [0]).withUnsafeBytes { mkdir($0.bindMemory(to: CChar.self).baseAddress!, 0o755) }
          == 0)
    }
    write("a.mp3", 1)
    let place = inner + Array("/a.mp3".utf8) + [0]
    try #require(
      place.withUnsafeBytes {
        rename(music.file("a.mp3"), $0.bindMemory(to: CChar.self).baseAddress!)
      } == 0)
    try await withRelay {
      try await eventually("the file is known") { try await root()?["tracks"]?.integer == 1 }
      let encoded = Data(odd).base64EncodedString()
      let listed = try await longwave("library", "list", "folders", music.path)
      #expect(listed.output.contains("/j\u{FFFD}") && listed.output.contains("=\(encoded)\n"))
      let below = try await longwave(
        "library", "list", "folders", "--path-bytes", encoded, "--json")
      let folder = below.json["folders"]?.items.first
      #expect(folder?["path"]?.string == music.path + "/j\u{FFFD}/in")
      #expect(folder?["pathBytes"]?.string == Data(inner).base64EncodedString())
      let bad = try await longwave("library", "list", "folders", "--path-bytes", "!")
      #expect(bad.status == 64 && bad.complaint?.contains("--path-bytes") == true)
    }
  }
}
