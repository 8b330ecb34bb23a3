import Foundation
import Longwave
import Reactor
import TestSupport
import Testing

/// Recordings fetched over HTTP.
@Suite struct RecordingFileScenarioTests {
  private static let bearer = "Authorization: Bearer \(Scenario.token)"

  private struct Setup {
    let relay: TestRelay
    let data: TemporaryDirectory

    func ask(
      _ path: String, _ fields: [String] = [], method: String = "GET"
    ) async throws -> HTTPExchange {
      try await HTTPExchange(
        method, "/api/v1/recordings" + path, at: relay.address, fields: [bearer] + fields)
    }

    func start(_ body: String) async throws {
      let answer = try await HTTPExchange(
        "POST", "/api/v1/recordings", at: relay.address, fields: [bearer], body: body)
      #expect(answer.status == 201, "\(answer.text)")
    }

    func recording() async throws -> JSON {
      let list = try await ask("")
      return try #require(JSON.parse(list.body)?["recordings"]?.items.first)
    }

    func untilRecorded(_ seconds: Double) async throws {
      try await eventually("\(seconds) s of a recording", within: 60) {
        try await recording()["current"]?["seconds"]?.double ?? 0 > seconds
      }
    }

    func stop() async throws {
      #expect(try await ask("/1", method: "DELETE").status == 204)
      try await eventually("its end") {
        try await recording()["state"]?.string == "finished"
      }
    }

    func onDisk(_ name: String) throws -> [UInt8] {
      try readFile(data.path + "/recordings/" + name)
    }
  }

  private func withSetup(
    titles: [FakeProgramme.TitleChange] = [], _ body: (Setup) async throws -> Void
  ) async throws {
    let upstream = try FakeUpstream(.numbered(before: 1000, titles: titles))
    defer { upstream.stop() }
    var stream = FakeStream(burst: 12)
    stream.metaint = 4000
    upstream.reply("/live", with: .stream(stream))
    let data = TemporaryDirectory()
    let jazz = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    try await Scenario.withRelay([jazz], data: data) { relay in
      try await relay.until("jazz", has: 8)
      try await body(Setup(relay: relay, data: data))
    }
  }

  private func audio(_ file: [UInt8]) -> [UInt8] {
    guard file.starts(with: "ID3".utf8) else { return file }
    return Array(file[(10 + file[6..<10].reduce(0) { $0 << 7 | Int($1) })...])
  }

  @Test func `a running recording sends what is written, and in the end the whole file`()
    async throws
  {
    try await withSetup { setup in
      try await setup.start(
        #"{"station":"jazz","from":"-5s","name":"Jazz \"é\" 1"}"#)
      try await setup.untilRecorded(6)
      let early = try await setup.ask("/1/file")
      #expect(early.status == 200 && early.head["Content-Type"] == "audio/mpeg")
      #expect(early.head["Last-Modified"] == nil)
      let numbers = try NumberedFrames.numbers(in: audio(early.body))
      #expect(areUnbroken(numbers) && numbers.count > 200)
      try await setup.stop()

      let file = try #require(try await setup.recording()["files"]?.items.first)
      #expect(file["part"]?.integer == 1 && file["name"]?.string == "Jazz \"é\" 1.mp3")
      let disk = try setup.onDisk("Jazz \"é\" 1.mp3")
      let whole = try await setup.ask("/1/file")
      #expect(whole.status == 200 && whole.body == disk)
      #expect(Array(disk.prefix(early.body.count)) == early.body)
      #expect(whole.head["Content-Length"] == "\(disk.count)")
      #expect(whole.head["Accept-Ranges"] == "bytes")
      #expect(whole.head["Cache-Control"] == "no-cache, no-store")
      #expect(
        whole.head["Content-Disposition"]
          == "attachment; filename=\"Jazz ___ 1.mp3\"; filename*=UTF-8''Jazz%20%22%C3%A9%22%201.mp3"
      )
      let range = try await setup.ask("/1/file?part=1", ["Range: bytes=1000-1999"])
      #expect(range.status == 206 && range.body == Array(disk[1000..<2000]))
      #expect(range.head["Content-Range"] == "bytes 1000-1999/\(disk.count)")
      #expect(try await setup.ask("/1/file", ["Range: bytes=\(disk.count)-"]).status == 416)
      let head = try await setup.ask("/1/file", method: "HEAD")
      #expect(head.status == 200 && head.body.isEmpty)
      #expect(head.head["Content-Length"] == "\(disk.count)")
      let tag = try #require(whole.head["ETag"])
      #expect(try await setup.ask("/1/file", ["If-None-Match: \(tag)"]).status == 304)
    }
  }

  @Test func `a split recording's files have a number each`() async throws {
    // Two seconds each, from 8 s before the programme's present on.
    let present = Int(1000 * 44_100.0 / 1152)
    let titles = (0..<60).map {
      FakeProgramme.TitleChange(packet: present - 300 + $0 * 80, "A - T\($0)")
    }
    try await withSetup(titles: titles) { setup in
      try await setup.start(#"{"station":"jazz","from":"-7s","split":true}"#)
      try await eventually("three files", within: 60) {
        try await setup.recording()["files"]?.items.count ?? 0 >= 3
      }
      try await setup.stop()
      let files = try await setup.recording()["files"]?.items ?? []
      #expect(files.compactMap { $0["part"]?.integer } == Array(1...files.count))
      for file in files {
        let (part, name) = (file["part"]?.integer ?? 0, file["name"]?.string ?? "")
        let sent = try await setup.ask("/1/file?part=\(part)")
        #expect(try sent.status == 200 && sent.body == setup.onDisk(name), "\(name)")
      }
      #expect(try await setup.ask("/1/file?part=\(files.count + 1)").status == 404)
    }
  }

  @Test func `recordings are sent to administrators only, and only files that are there`()
    async throws
  {
    try await withSetup { setup in
      try await setup.start(#"{"station":"jazz","from":"-5s","name":"show"}"#)
      try await setup.untilRecorded(4)
      try await setup.stop()
      #expect(try await setup.relay.get("/api/v1/recordings/1/file").status == 401)
      for part in ["0", "-1", "x", "99999999999999999999"] {
        #expect(try await setup.ask("/1/file?part=\(part)").status == 400)
      }
      #expect(try await setup.ask("/1/file?part=2").status == 404)
      #expect(try await setup.ask("/2/file").status == 404)

      // In the place of a recording, a link that leads out of their folder.
      let path = setup.data.path + "/recordings/show.mp3"
      setup.data.write("secret.mp3", NumberedFrames.stream(0..<100))
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: "../secret.mp3")
      #expect(try await setup.ask("/1/file").status == 404)
      try FileManager.default.removeItem(atPath: path)
      #expect(try await setup.ask("/1/file").status == 404)
    }
  }

  @Test func `a slow client gets all of a file though it is removed meanwhile`() async throws {
    try await withSetup { setup in
      try await setup.start(#"{"station":"jazz","from":"-5s","name":"show"}"#)
      try await setup.untilRecorded(1)
      try await setup.stop()
      // More than the kernel takes for a client that does not read.
      let file = NumberedFrames.stream(0..<25_000)
      setup.data.write("recordings/show.mp3", file)
      let client = try StreamClient(
        to: setup.relay.address,
        sending: "GET /api/v1/recordings/1/file HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
          + "\(Self.bearer)\r\n\r\n", receiveBuffer: 1 << 16)
      try await eventually("the first bytes") {
        client.drain(atMost: 1000)
        return !client.received.isEmpty
      }
      try FileManager.default.removeItem(atPath: setup.data.path + "/recordings/show.mp3")
      #expect(try await setup.ask("/1/file").status == 404)
      try await client.until("all of it") { $0.isEnded }
      #expect(client.body == file)
    }
  }
}
