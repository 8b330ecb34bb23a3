import Foundation
import Longwave
import TestSupport
import Testing

/// Recordings that nobody starts. The show is always on: no test waits for a time of day.
@Suite struct RecordingScheduleTests {
  private static let time = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  private struct Setup {
    let upstream: FakeUpstream
    let data: TemporaryDirectory

    func longwave(_ arguments: String...) async throws -> ChildProcess.Result {
      try await LongwaveProcess.command(arguments, data: data.path)
    }

    func recordings() async throws -> [JSON] {
      try await longwave("record", "list", "--json").json["recordings"]?.items ?? []
    }

    func untilRecorded(_ seconds: Double, after before: Double = 0) async throws {
      try await eventually("\(seconds) s", within: 60) {
        (try await recordings().first?["seconds"]?.double ?? 0) > before + seconds
      }
    }

    func numbers(_ name: String) throws -> [UInt64] {
      let file = try readFile(data.path + "/recordings/" + name)
      guard file.starts(with: "ID3".utf8) else { return try NumberedFrames.numbers(in: file) }
      let tag = 10 + file[6..<10].reduce(0) { $0 << 7 | Int($1) }
      return try NumberedFrames.numbers(in: Array(file[tag...]))
    }
  }

  private func withSetup(_ body: (Setup) async throws -> Void) async throws {
    let upstream = try FakeUpstream(.numbered(before: 1000))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 12)))
    try await body(Setup(upstream: upstream, data: TemporaryDirectory()))
  }

  @Test func `a show that is on is recorded from what the window has of it, and over a restart`()
    async throws
  {
    try await withSetup { setup in
      let first = try await LongwaveProcess(["serve"], data: setup.data.path)
      let added = try await setup.longwave("station", "add", "jazz", setup.upstream.url("/live"))
      #expect(added.status == 0, "\(added.log)")
      try await first.api.untilPublic("jazz", is: "playing")
      let oldest = try await first.api.station("jazz")["window"]?["oldest"]?.string
      let edited = try await setup.longwave(
        "station", "edit", "jazz", "--record", "daily 00:00-24:00", "--time-zone", "Asia/Tokyo")
      #expect(edited.status == 0, "\(edited.log)")
      try await setup.untilRecorded(8)
      let running = try #require(try await setup.recordings().first)
      #expect(running["state"]?.string == "recording")
      #expect(running["schedule"]?["from"]?.string == "00:00")
      #expect(running["schedule"]?["start"]?.string?.hasSuffix("T15:00:00.000Z") == true)
      // Where it lies in time is measured anew now and then, by a millisecond or so.
      let begins = try [running["from"]?.string, oldest].map {
        try Date($0 ?? "", strategy: Self.time)
      }
      #expect(abs(begins[0].timeIntervalSince(begins[1])) < 1)
      let table = try await setup.longwave("record", "list")
      #expect(table.output.contains("schedule"))
      let planned = try await setup.longwave("record", "schedule", "--json").json["planned"]?.items
      #expect(planned?.map { $0["start"] } == [running["schedule"]?["end"]])
      #expect(try await setup.longwave("record", "schedule").output.contains("mon,tue,wed,thu,fri"))
      first.process.signal(SIGTERM)
      #expect(try await first.process.end() == 0)

      let second = try await LongwaveProcess(["serve"], data: setup.data.path)
      let before = try #require(try await setup.recordings().first?["seconds"]?.double)
      try await setup.untilRecorded(2, after: before)
      #expect(try await setup.recordings().map { $0["id"]?.integer } == [1])
      // By hand it ends, and is not begun again, not even when it is taken off the list.
      #expect(try await setup.longwave("record", "stop", "1").status == 0)
      let files = try #require(try await setup.recordings().first?["files"]?.items)
      #expect(files.count == 2)
      let numbers = try files.map { try setup.numbers($0["name"]?.string ?? "") }
      #expect(numbers.allSatisfy(areUnbroken) && numbers[1][0] > numbers[0].last!)
      #expect(try await setup.longwave("record", "stop", "1").status == 0)
      #expect(try await setup.longwave("record", "stop", "1").status == 1)
      #expect(try await setup.longwave("station", "edit", "jazz", "--name", "J").status == 0)
      #expect(try await setup.recordings().isEmpty)
      second.process.signal(SIGTERM)
      #expect(try await second.process.end() == 0)
      let third = try await LongwaveProcess(["serve"], data: setup.data.path)
      try await third.api.untilPublic("jazz", is: "playing")
      #expect(try await setup.recordings().isEmpty)
      withExtendedLifetime(third) {}
    }
  }

  @Test
  func
    `a station on demand is pulled for its show, and another schedule ends what it does not want`()
    async throws
  {
    try await withSetup { setup in
      let file = setup.data.path + "/longwave.yml"
      func write(_ record: String) throws {
        try """
        server: { time-zone: America/New_York }
        recordings: { folder: \(setup.data.path)/recordings }
        stations:
          - id: jazz
            upstream: \(setup.upstream.url("/live"))
            on-demand: true
            run-on: 0s
            record: \(record)
        """.write(toFile: file, atomically: true, encoding: .utf8)
      }
      try write("[{from: 00:00, to: 24:00, name: whole}]")
      let server = try await LongwaveProcess(["serve", "--config", file], data: setup.data.path)
      try await server.api.untilPublic("jazz", is: "playing")
      try await setup.untilRecorded(3)
      // What the upstream is stopped for is a hole in the recording, not its end.
      #expect(try await setup.longwave("station", "stop", "jazz").status == 0)
      #expect(try await setup.longwave("station", "start", "jazz").status == 0)
      try await server.api.untilPublic("jazz", is: "playing")
      try await setup.untilRecorded(3, after: 3)

      try write(
        """
        [{from: 00:00, to: 24:00, name: whole, keep: 7d}, \
        {from: 0:00, to: 0:00, name: again}, \
        {from: 0:00, to: 0:00, name: small, max-size: 100kB}]
        """)
      #expect(try await setup.longwave("config", "reload").status == 0)
      // Of the window there was enough for it.
      try await eventually("the one with a size is over", within: 60) {
        try await setup.recordings().last?["state"]?.string == "finished"
      }
      let all = try await setup.recordings()
      #expect(all.map { $0["state"]?.string } == ["recording", "recording", "finished"])
      let sized = try #require(all.last)
      #expect(sized["reason"]?.string == "the recording has the 100kB that max-size allows")
      #expect(sized["maxSize"]?.integer == 100_000)
      #expect((99_000...100_000).contains(sized["bytes"]?.integer ?? 0))
      try write("[{from: 00:00, to: 24:00, name: again}]")
      #expect(try await setup.longwave("config", "reload").status == 0)
      let both = try await setup.recordings()
      #expect(both.map { $0["state"]?.string } == ["finished", "recording", "finished"])
      #expect(both.first?["reason"]?.string == "it is not in the schedule any more")
      #expect(try setup.numbers("whole.mp3").count > 100)
      try write("[]")
      #expect(try await setup.longwave("config", "reload").status == 0)
      #expect(try await setup.recordings().allSatisfy { $0["state"]?.string == "finished" })
      try await server.api.untilPublic("jazz", is: "paused")
      server.process.signal(SIGTERM)
      #expect(try await server.process.end() == 0)
      #expect(server.process.log.contains("recording 1 ends: it is not in the schedule any more"))
    }
  }

  @Test func `recordings kept long enough are deleted, and nothing else`() async throws {
    try await withSetup { setup in
      let file = setup.data.path + "/longwave.yml"
      func write(_ keep: String) throws {
        try """
        recordings: { \(keep) }
        stations: [{ id: jazz, upstream: "\(setup.upstream.url("/live"))" }]
        """.write(toFile: file, atomically: true, encoding: .utf8)
      }
      try write("disk-limit: 20GB")
      let server = try await LongwaveProcess(["serve", "--config", file], data: setup.data.path)
      try await server.api.untilPublic("jazz", is: "playing")
      let folder = setup.data.path + "/recordings/"
      for number in 1...4 {
        let started = try await setup.longwave(
          "record", "start", "jazz", "--from", "-5s", "--name", "file \(number)")
        #expect(started.status == 0, "\(started.log)")
        try await eventually("a file", within: 60) {
          (try await setup.recordings().last?["seconds"]?.double ?? 0) > 1
        }
        if number < 4 {
          #expect(try await setup.longwave("record", "stop", "\(number)").status == 0)
        }
      }
      // Not as it was left any more; and never one of ours.
      try "mine".write(toFile: folder + "file 1.mp3", atomically: true, encoding: .utf8)
      try "mine".write(toFile: folder + "other.mp3", atomically: true, encoding: .utf8)
      let events = try EventClient(at: server.address, "?kinds=recording-deleted", after: 0)
      try write("keep-count: 1")
      #expect(try await setup.longwave("config", "reload").status == 0)
      #expect(try await setup.recordings().map { $0["id"]?.integer } == [3, 4])
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(names == ["file 1.mp3", "file 3.mp3", "file 4.mp3.part", "other.mp3"])
      let left = try await events.first("the one left alone") {
        JSON.parse(Array($0.data.utf8))?["recording"]?.integer == 1
      }
      let told = JSON.parse(Array(left.data.utf8))
      #expect(told?["files"]?.integer == 0 && told?["filesLeft"]?.integer == 1)
      server.process.signal(SIGTERM)
      #expect(try await server.process.end() == 0)
      withExtendedLifetime(events) {}
    }
  }
}
