import Glibc
import Longwave
import TestSupport
import Testing

/// The commands for programmes, by the program itself.
@Suite struct ProgrammeCLITests {
  private func longwave(_ arguments: String..., data: String) async throws -> ChildProcess.Result {
    try await LongwaveProcess.command(arguments, data: data)
  }

  @Test func `a programme is shown and operated by command`() async throws {
    let (data, folder) = (TemporaryDirectory(), TemporaryDirectory())
    for number in 0..<4 { folder.writeSong(number, frames: 3400) }
    let server = try await LongwaveProcess(["serve"], data: data.path)
    func run(_ words: String...) async throws -> ChildProcess.Result {
      try await LongwaveProcess.command(["programme"] + words, data: data.path)
    }
    let added = try await longwave(
      "station", "add", "night", "--folder", folder.path, data: data.path)
    #expect(added.status == 0, "\(added.log)")
    _ = try await longwave("station", "add", "jazz", "http://127.0.0.1:9/j", data: data.path)
    try await server.api.untilPublic("night", is: "playing")
    let shown = try await run("show", "night")
    #expect(shown.status == 0, "\(shown.log)")
    let lines = shown.output.split(separator: "\n")
    #expect(
      lines.first?.hasPrefix("night  playing  folder:\(folder.path): in order, repeat all; cycle 1")
        == true)
    #expect(lines.dropFirst(2).first?.contains("Artist 0 – Title 0") == true)
    let place = lines.dropFirst(2).first?.firstMatch(of: #/1:28  order, (\d):(\d\d)/#)
    let seconds = place.flatMap { found in
      Int(found.1).flatMap { minutes in Int(found.2).map { minutes * 60 + $0 } }
    }
    #expect(seconds.map { (0...88).contains($0) } == true, "\(shown.output)")
    let next = try await run("next", "night")
    #expect(next.output == "next on night: Artist 1 – Title 1, heard in 4 s\n", "\(next.log)")
    let back = try await run("previous", "night", "--json")
    #expect(back.json["now"]?["why"]?.string == "previous", "\(back.log)")
    let queued = try await run(
      "queue", "night", folder.file("Artist 3 - Title 3.mp3"),
      folder.file("none/../Artist 2 - Title 2.mp3"), "--at", "next")
    #expect(queued.output == "queued 2 tracks on night\n", "\(queued.log)")
    let coming = try await run("show", "night", "--json").json["upcoming"]?.items ?? []
    let songs = coming.filter { $0["why"]?.string == "queue" }
    #expect(songs.map { $0["title"]?.string } == ["Title 3", "Title 2"])
    let item = try #require(songs.first?["item"]?.integer)
    let out = try await run("unqueue", "night", "\(item)")
    #expect(out.output == "took 1 item out of night\n", "\(out.log)")
    let cleared = try await run("unqueue", "night", "--clear")
    #expect(cleared.output == "the queue of night is empty\n")
    let set = try await run("set", "night", "--order", "shuffle")
    #expect(
      set.output
        == "night: shuffled, repeat all, join gapless, apart: artist 1h, title 4h (changed: order)\n",
      "\(set.log)")
    let fade = try await run("set", "night", "--join", "fade", "--fade", "2s")
    #expect(fade.output.contains(", join fade of 2s, apart"), "\(fade.log)")
    let reset = try await run("set", "night", "--reset")
    #expect(reset.output == "night: in order, repeat all, join gapless (as defined)\n")
    let plan = try await run("plan", "night", "--for", "1h")
    #expect(plan.output.hasSuffix("0 inserts missed; nothing too near; 0s of silence\n"))
    let none = try await run("next", "jazz")
    #expect(none.status == 1)
    #expect(
      none.complaint
        == "longwave: jazz is pulled from an upstream; only programmes have a next item")
    for wrong in [["queue", "night"], ["unqueue", "night"], ["skip", "night", "x"]] {
      let result = try await LongwaveProcess.command(["programme"] + wrong, data: data.path)
      #expect(result.status == 64, "\(wrong)")
    }
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }
}
