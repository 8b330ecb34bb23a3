import Foundation
import Longwave
import TestSupport
import Testing

@Suite struct RecordingScenarioTests {
  /// A station's upstream, and the folder of a relay that is steered by commands.
  private struct Setup {
    let upstream: FakeUpstream
    let data = TemporaryDirectory()

    /// - Parameter burst: seconds of its past that the upstream sends at once.
    init(burst: Double = 12) throws {
      upstream = try FakeUpstream(.numbered(before: 1000))
      upstream.reply("/live", with: .stream(FakeStream(burst: burst)))
    }

    func serve() async throws -> LongwaveProcess {
      try await LongwaveProcess(["serve"], data: data.path)
    }

    func longwave(_ arguments: String...) async throws -> ChildProcess.Result {
      try await LongwaveProcess.command(arguments, data: data.path)
    }

    func addJazz() async throws {
      #expect(try await longwave("station", "add", "jazz", upstream.url("/live")).status == 0)
    }
  }

  /// What stands behind a file's tag.
  private func audio(_ path: String) throws -> [UInt8] {
    let file = try readFile(path)
    guard file.starts(with: "ID3".utf8) else { return file }
    return Array(file[(10 + file[6..<10].reduce(0) { $0 << 7 | Int($1) })...])
  }

  @Test func `a recording by command goes on over a restart, and is stopped`() async throws {
    let setup = try Setup()
    defer { setup.upstream.stop() }
    func recording() async throws -> JSON? {
      try await setup.longwave("record", "list", "--json").json["recordings"]?.items.first
    }
    let first = try await setup.serve()
    try await setup.addJazz()
    try await first.api.untilPublic("jazz", is: "playing")
    let started = try await setup.longwave(
      "record", "start", "jazz", "--from", "-5s", "--for", "1h", "--name", "{station} {number}")
    #expect(started.status == 0 && started.output == "recording 1: jazz\n", "\(started.log)")
    try await eventually("some audio", within: 60) {
      (try await recording()?["seconds"]?.double ?? 0) > 6
    }
    first.process.signal(SIGTERM)
    #expect(try await first.process.end() == 0)
    let folder = setup.data.path + "/recordings/"
    let before = try NumberedFrames.numbers(in: audio(folder + "jazz 001.mp3"))
    #expect(before == Array(before[0]..<before[0] + UInt64(before.count)) && before.count > 200)

    let second = try await setup.serve()
    try await eventually("more audio", within: 60) {
      let now = try await recording()
      return now?["current"]?["name"]?.string == "jazz 002.mp3"
        && (now?["current"]?["seconds"]?.double ?? 0) > 1
    }
    #expect(try await setup.longwave("record", "stop", "1").status == 0)
    let ended = try await recording()
    #expect(ended?["state"]?.string == "finished" && ended?["fileCount"]?.integer == 2)
    let after = try NumberedFrames.numbers(in: audio(folder + "jazz 002.mp3"))
    #expect(!after.isEmpty && after[0] > before.last!)
    #expect(FileManager.default.fileExists(atPath: folder + "jazz 002.mp3.part") == false)
    #expect(try await setup.longwave("record", "list").output.contains("jazz 002.mp3"))
    #expect(try await setup.longwave("record", "stop", "1").status == 0)
    #expect(try await recording() == nil)
    let gone = try await setup.longwave("record", "stop", "1")
    #expect(gone.status == 1 && gone.complaint == "longwave: There is no recording 1.")
    second.process.signal(SIGTERM)
    #expect(try await second.process.end() == 0)
  }

  @Test func `a recording with a size ends by itself, and the list says why`() async throws {
    let setup = try Setup()
    defer { setup.upstream.stop() }
    let server = try await setup.serve()
    try await setup.addJazz()
    try await server.api.untilPublic("jazz", is: "playing")
    let events = try EventClient(at: server.address, "?kinds=recording-stopped", after: 0)
    let refused = try await setup.longwave("record", "start", "jazz", "--max-size", "200M")
    #expect(refused.status == 64 && refused.complaint?.contains("write 20GB, 512MiB") == true)
    let gone = try await setup.longwave("record", "start", "jazz", "--from", "-3h", "--for", "1h")
    #expect(
      gone.complaint?.contains("has nothing of that time: it begins at 2") == true, "\(gone.log)")
    let started = try await setup.longwave(
      "record", "start", "jazz", "--from", "-5s", "--for", "1h", "--max-size", "200kB")
    #expect(started.status == 0, "\(started.log)")
    let why = "the recording has the 200kB that max-size allows"
    let told = try await events.first("its end") { _ in true }
    #expect(JSON.parse(Array(told.data.utf8))?["reason"]?.string == why)
    let list = try await setup.longwave("record", "list")
    #expect(list.output.contains("finished") && list.output.contains(why))
    let entry = try #require(
      try await setup.longwave("record", "list", "--json").json["recordings"]?.items.first)
    let name = try #require(entry["files"]?.items.first?["name"]?.string)
    let path = setup.data.path + "/recordings/" + name
    let bytes = try readFile(path).count
    #expect(bytes <= 200_000 && bytes > 200_000 - 419 && entry["bytes"]?.integer == bytes)
    #expect(areUnbroken(try NumberedFrames.numbers(in: audio(path))))
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
    withExtendedLifetime(events) {}
  }

  @Test func `a recording that appends goes on after kill -9 without a packet torn or twice`()
    async throws
  {
    // What was lost from memory comes again with the burst, however long a busy machine takes for a restart.
    let setup = try Setup(burst: 60)
    defer { setup.upstream.stop() }
    func recording() async throws -> JSON? {
      try await setup.longwave("record", "list", "--json").json["recordings"]?.items.last
    }
    let show = setup.data.path + "/recordings/show.mp3"
    let first = try await setup.serve()
    try await setup.addJazz()
    try await first.api.untilPublic("jazz", is: "playing")
    let started = try await setup.longwave(
      "record", "start", "jazz", "--from", "-5s", "--name", "show", "--append")
    #expect(started.status == 0, "\(started.log)")
    try await eventually("some audio", within: 60) {
      (try await recording()?["seconds"]?.double ?? 0) > 3
    }
    #expect(try await setup.longwave("record", "stop", "1").status == 0)
    let old = try audio(show)
    let again = try await setup.longwave("record", "start", "jazz", "--name", "show", "--append")
    #expect(again.status == 0, "\(again.log)")
    try await eventually("more of it in the same file", within: 60) {
      try audio(show).count > old.count + 60_000
    }
    try await first.kill()
    // As if it had been killed within a write.
    let handle = try FileHandle(forWritingTo: URL(filePath: show))
    try handle.seekToEnd()
    try handle.write(contentsOf: NumberedFrames.frame(99).prefix(100))
    try handle.close()

    let second = try await setup.serve()
    let before = try await recording()?["seconds"]?.double ?? 0
    try await eventually("more audio", within: 60) {
      (try await recording()?["seconds"]?.double ?? 0) > before + 3
    }
    #expect(try await setup.longwave("record", "stop", "2").status == 0)
    #expect(try await recording()?["state"]?.string == "finished")
    let numbers = try NumberedFrames.numbers(in: audio(show))
    let kept = try NumberedFrames.numbers(in: old)
    #expect(Array(numbers.prefix(kept.count)) == kept)
    #expect(areUnbroken(Array(numbers.dropFirst(kept.count))))
    let files = try FileManager.default.contentsOfDirectory(atPath: setup.data.path + "/recordings")
    #expect(files == ["show.mp3"])
    second.process.signal(SIGTERM)
    #expect(try await second.process.end() == 0)
  }
}
