import Audio
import Foundation
import Glibc
import Longwave
import Reactor
import TestSupport
import Testing
import Wire

/// Stations whose upstream is a program, as the configuration's `command:` names it.
@Suite struct ProgramUpstreamTests {
  /// A folder with numbered frames in `frames.mp3`, and a script that plays them for ever at twice their pace.
  private struct Setup {
    let folder = TemporaryDirectory()
    var path: String { folder.path }

    init() throws {
      try Data(NumberedFrames.stream(0..<20_000)).write(
        to: URL(filePath: folder.path + "/frames.mp3"))
    }

    /// A script that says who it is in the file `NAME.pids`. Each 4 KiB are a quarter of a second.
    func script(_ name: String) -> [String] {
      [
        "sh", "-c",
        "echo $$ >> \(name).pids; exec < frames.mp3; "
          + "while dd bs=4096 count=1 2> /dev/null; do sleep 0.1; done",
      ]
    }

    func station(_ id: String, _ command: [String], _ more: String = "") -> String {
      "  - id: \(id)\n    command: \(JSON.array(command.map(JSON.string)).text)\n\(more)"
    }

    func write(_ stations: String...) throws {
      try ("admin:\n  token: \(Scenario.token)\nstations:\n" + stations.joined())
        .write(toFile: file, atomically: true, encoding: .utf8)
    }

    var file: String { path + "/longwave.yml" }

    func processes(_ name: String) -> [pid_t] {
      String(decoding: folder.read("\(name).pids"), as: UTF8.self).split(separator: "\n")
        .compactMap { pid_t($0) }
    }

    func running(_ name: String) -> [pid_t] {
      processes(name).filter { access("/proc/\($0)", F_OK) == 0 }
    }
  }

  private func withServer(
    _ setup: Setup, _ body: (LongwaveProcess) async throws -> Void
  ) async throws {
    let server = try await LongwaveProcess(
      ["serve", "--config", setup.file], data: setup.path + "/data")
    try await body(server)
    server.process.signal(SIGTERM)
    #expect(try await server.process.end() == 0)
  }

  private static let bearer = "Authorization: Bearer \(Scenario.token)"

  @Test func `a listener gets what the program writes, and everybody its name only`() async throws {
    let setup = try Setup()
    try setup.write(setup.station("jazz", setup.script("jazz")))
    try await withServer(setup) { server in
      try await server.api.until("jazz", is: "playing")
      let listener = try StreamClient(to: server.address, get: "/jazz")
      try await listener.until { $0.bodyCount > 200_000 }
      #expect(areUnbroken(try NumberedFrames.numbers(in: listener.body, mayEndInFrame: true)))
      let upstream = try await server.api.station("jazz")["upstream"]
      #expect(upstream?["url"]?.string == "command: sh")
      #expect(upstream?["command"]?.items.map(\.string) == setup.script("jazz"))
      #expect(upstream?["bytes"]?.integer ?? 0 > 200_000)
      let open = try await HTTPExchange("GET", "/api/v1/stations/jazz", at: server.address)
      let shown = JSON.parse(open.body)?["upstream"]
      #expect(shown?["url"]?.string == "command: sh" && shown?["command"] == .null)
      #expect(!open.text.contains("frames.mp3"))
    }
    #expect(setup.processes("jazz").count == 1 && setup.running("jazz").isEmpty)
  }

  @Test func `the relay has no descriptor that a program would inherit`() async throws {
    let setup = try Setup()
    try setup.write(setup.station("jazz", setup.script("jazz")))
    try await withServer(setup) { server in
      try await server.api.until("jazz", is: "playing")
      let listener = try StreamClient(to: server.address, get: "/jazz")
      try await listener.until { $0.bodyCount > 10_000 }
      let folder = "/proc/\(server.process.id)"
      let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/fdinfo")
      #expect(names.count > 10)
      for name in names where Int(name) ?? 0 > 2 {
        // One that has been closed meanwhile is none.
        guard let text = try? String(contentsOfFile: "\(folder)/fdinfo/\(name)", encoding: .utf8),
          let match = text.firstMatch(of: /flags:\s*([0-7]+)/), let flags = Int(match.1, radix: 8)
        else { continue }
        if flags & Int(O_CLOEXEC) != 0 { continue }
        func target() -> String? {
          try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/fd/\(name)")
        }
        guard let found = target() else { continue }
        let inode = try #require(
          found.wholeMatch(of: /socket:\[([0-9]+)\]/)?.1, "\(name): \(found)")
        // libcurl wakes itself by a pair of sockets; a program does not get those either. The kernel's table leaves out
        // lines while it changes.
        let isPair: Void? = try? await eventually("\(name) is one of libcurl's pair", within: 10) {
          Self.text("\(folder)/net/unix").contains(" \(inode)\n") || target() != found
        }
        #expect(isPair != nil, "\(name), \(found), is \(Self.tables(of: inode, in: folder))")
      }
    }
  }

  /// Names of the kernel's tables in which a socket stands.
  private static func tables(of inode: Substring, in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/net")) ?? []
    return names.filter { text("\(folder)/net/\($0)").contains(" \(inode)") }
  }

  /// What a file of the kernel says: it comes in pages, and Foundation reads one of them.
  private static func text(_ path: String) -> String {
    let fd = open(path, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { return "" }
    defer { close(fd) }
    var bytes: [UInt8] = []
    var page = [UInt8](repeating: 0, count: 4096)
    while case let count = read(fd, &page, page.count), count > 0 { bytes += page[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `deaths leave neither zombies nor descriptors in the relay`() async throws {
    let setup = try Setup()
    let script = "echo $$ >> jazz.pids; head -c 200000 frames.mp3; exit 7"
    try setup.write(
      setup.station("jazz", ["sh", "-c", script]),
      setup.station("rock", setup.script("rock")))
    try await withServer(setup) { server in
      try await server.api.until("rock", is: "playing")
      func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.process.id)/fd").count
      }
      try await eventually("the second death") { setup.processes("jazz").count > 2 }
      let before = try descriptors()
      try await eventually("ten deaths", within: 120) { setup.processes("jazz").count > 10 }
      // One may be there, with two pipes.
      try await eventually("no more descriptors") { try descriptors() <= before }
      try await eventually("rock's only") { try server.children == setup.running("rock") }
    }
  }

  @Test func `a reload that changes a command restarts that station's only`() async throws {
    let setup = try Setup()
    try setup.write(
      setup.station("jazz", setup.script("jazz")), setup.station("rock", setup.script("rock")))
    try await withServer(setup) { server in
      for id in ["jazz", "rock"] { try await server.api.until(id, is: "playing") }
      let listener = try StreamClient(to: server.address, get: "/jazz")
      try await listener.until { $0.bodyCount > 10_000 }
      try setup.write(
        setup.station("jazz", setup.script("other")), setup.station("rock", setup.script("rock")))
      let reload = try await LongwaveProcess.command(
        ["config", "reload"], data: setup.path + "/data")
      #expect(reload.output == "changed jazz\n", "\(reload.log)")
      try await eventually("the other one") { setup.processes("other").count == 1 }
      try await eventually("the first has gone") { setup.running("jazz").isEmpty }
      let before = listener.bodyCount
      try await listener.until { $0.bodyCount > before + 50_000 }
      #expect(setup.processes("rock").count == 1 && !setup.running("rock").isEmpty)
    }
  }

  @Test func `a program that ignores TERM is gone when the relay is`() async throws {
    let setup = try Setup()
    let script = "trap '' TERM; (trap '' TERM; echo $$ >> jazz.pids; \(loop)) & \(loop)"
    try setup.write(setup.station("jazz", ["sh", "-c", script]))
    try await withServer(setup) { server in
      try await eventually("it runs") { !setup.processes("jazz").isEmpty }
    }
    #expect(setup.running("jazz").isEmpty)
  }

  private var loop: String { "while :; do sleep 1; done" }

  @Test func `a program whose relay is killed ends with its pipe`() async throws {
    let setup = try Setup()
    try setup.write(setup.station("jazz", setup.script("jazz")))
    let server = try await LongwaveProcess(
      ["serve", "--config", setup.file], data: setup.path + "/data")
    try await server.api.until("jazz", is: "playing")
    try await server.kill()
    try await eventually("it has gone") {
      setup.running("jazz").allSatisfy { id in
        // An orphan that nobody waits for stays a zombie.
        let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
        return text?.contains(") Z ") ?? true
      }
    }
  }

  @Test func `a station on demand runs its program while somebody listens`() async throws {
    let setup = try Setup()
    try setup.write(
      setup.station("jazz", setup.script("jazz"), "    on-demand: true\n    run-on: 0s\n"))
    try await withServer(setup) { server in
      try await server.api.until("jazz", is: "paused")
      #expect(setup.processes("jazz").isEmpty)
      let listener = try StreamClient(to: server.address, get: "/jazz")
      try await listener.until { $0.bodyCount > 50_000 }
      #expect(setup.running("jazz").count == 1)
      listener.hangUp()
      try await server.api.until("jazz", is: "paused", within: 60)
      try await eventually("it has ended") { setup.running("jazz").isEmpty }
    }
  }

  @Test func `a program's last words are told to administrators, its end to everybody`()
    async throws
  {
    let setup = try Setup()
    try setup.write(setup.station("jazz", ["sh", "-c", "echo password is hunter2 >&2; exit 4"]))
    try await withServer(setup) { server in
      try await server.api.until("jazz", is: "failed")
      let told = "sh ended with exit code 4"
      let station = try await server.api.station("jazz")
      #expect(station["stateReason"]?.string == "\(told)\npassword is hunter2")
      let open = try await HTTPExchange("GET", "/api/v1/stations/jazz", at: server.address)
      #expect(JSON.parse(open.body)?["stateReason"]?.string == told)
      let events = try EventClient(at: server.address, "", after: 0)
      let event = try await events.first("the failure") { $0.kind == "failed" }
      #expect(event.json["reason"]?.string == told)
      #expect(!server.process.log.contains("hunter2"))
    }
  }

  @Test func `the end of a program's last words is the reason`() async throws {
    let setup = try Setup()
    let banner = (0..<20).map { "echo about me \($0) >&2; " }.joined()
    let words = "echo opening >&2; echo no such file >&2; echo giving up >&2; exit 1"
    try setup.write(setup.station("jazz", ["sh", "-c", banner + words]))
    try await withServer(setup) { server in
      try await server.api.until("jazz", is: "failed")
      let reason = try await server.api.station("jazz")["stateReason"]?.string
      #expect(reason == "sh ended with exit code 1\nopening\nno such file\ngiving up")
      let shown = try await LongwaveProcess.command(
        ["station", "show", "jazz"], data: setup.path + "/data")
      let words = "sh ended with exit code 1: opening / no such file / giving up"
      #expect(shown.output.contains("failed (\(words))"), "\(shown.output)")
      let list = try await LongwaveProcess.command(
        ["station", "list"], data: setup.path + "/data")
      #expect(list.output.contains("jazz: \(words)"), "\(list.output)")
    }
  }

  @Test func `a request cannot name a program`() async throws {
    let setup = try Setup()
    try setup.write(setup.station("jazz", setup.script("jazz")))
    try await withServer(setup) { server in
      let words = "is taken from the configuration file only"
      for body in [
        #"{"id":"x","command":["touch","/tmp/x"]}"#,
        #"{"id":"x","upstream":"http://127.0.0.1:9/","command":["touch","/tmp/x"]}"#,
        #"{"id":"x","command":"touch"}"#, #"{"id":"x","command":[]}"#,
      ] {
        let answer = try await HTTPExchange(
          "POST", "/api/v1/stations", at: server.address, fields: [Self.bearer], body: body)
        #expect(answer.status == 400 && answer.text.contains(words), "\(body): \(answer.text)")
      }
      let added = try await HTTPExchange(
        "POST", "/api/v1/stations", at: server.address, fields: [Self.bearer],
        body: #"{"id":"x","upstream":"http://127.0.0.1:9/"}"#)
      #expect(added.status == 201)
      let changed = try await HTTPExchange(
        "PATCH", "/api/v1/stations/x", at: server.address, fields: [Self.bearer],
        body: #"{"upstream":null,"command":["touch","/tmp/x"]}"#)
      #expect(changed.status == 400 && changed.text.contains(words), "\(changed.text)")
      let check = try await HTTPExchange(
        "POST", "/api/v1/stations/check", at: server.address, fields: [Self.bearer],
        body: #"{"upstream":["command: touch"]}"#)
      #expect(check.status == 400)
      // What a relay tells of its stations can be read all the same.
      let export = try await LongwaveProcess.command(
        ["station", "export"], data: setup.path + "/data")
      #expect(export.status == 0 && export.output.contains("command:"), "\(export.log)")
    }
  }

  /// A tone of 1 kHz in the file `tone.wav`, for so many seconds.
  private func writeTone(_ setup: Setup, seconds: Double) throws {
    let samples = Signals.sine(1000, rate: 48_000, channels: 2, seconds: seconds, amplitude: 0.5)
    let format = SampleFormat(sampleRate: 48_000, channels: 2, encoding: .s16le)
    let bytes = samples.flatMap {
      [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
    }
    try Data(format.endlessWAVHead() + bytes).write(
      to: URL(filePath: setup.path + "/tone.wav"))
  }

  @Test func `samples that a program writes are encoded, and heard as MP3`() async throws {
    let setup = try Setup()
    try writeTone(setup, seconds: 20)
    let raw = "    encode: {bitrate: 64, format: s16le, rate: 48000, mono: true}\n"
    try setup.write(
      setup.station("wav", ["cat", "tone.wav"], "    encode: {bitrate: 128}\n"),
      setup.station("raw", ["tail", "-c", "+45", "tone.wav"], raw),
      setup.station("none", ["cat", "tone.wav"]))
    try await withServer(setup) { server in
      for (id, bitrate, channels) in [("wav", 128, 2), ("raw", 64, 1)] {
        try await server.api.until(id, is: "playing")
        try await expectTone(of: id, at: server.address, rate: 48_000, channels: channels)
        let station = try await server.api.station(id)
        #expect(station["format"]?["bitrate"]?.integer == bitrate, "\(station.text)")
      }
      try await server.api.until("none", is: "failed")
      let reason = try await server.api.station("none")["stateReason"]?.string ?? ""
      #expect(reason.contains("WAV") && reason.contains("encode: {bitrate: 192}"), "\(reason)")
    }
  }

  @Test(arguments: [
    (
      "command: [cat, x]\n    encode: {bitrate: 100}", "stations[0].encode.bitrate: is 100; MP3 has"
    ),
    (
      "command: [cat, x]\n    encode: {bitrate: 192, samplerate: 22050}",
      "stations[0].encode.bitrate: is 192; MP3 has 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160 kbit/s at 22050 Hz"
    ),
    (
      "command: [cat, x]\n    encode: {samplerate: 45000}",
      "stations[0].encode.samplerate: \"45000\" is no sample rate of MP3"
    ),
    ("command: [cat, x]\n    encode: {rate: 44100}", "stations[0].encode.rate: goes with format:"),
    ("command: [cat, x]\n    encode: {format: s24le}", "stations[0].encode.format"),
    ("upstream: http://x/\n    encode: {bitrate: 64}", "stations[0].encode: goes with command:"),
  ])
  func `mistakes in an encoding are told by place`(station: String, words: String) async throws {
    let setup = try Setup()
    try setup.write("  - id: jazz\n    \(station)\n")
    let check = try await LongwaveProcess.command(
      ["config", "check", setup.file], data: setup.path + "/data")
    #expect(check.status == 78 && check.log.contains(words), "\(check.log)")
  }

  @Test func `a program that uses the library names programs in its configuration only`()
    async throws
  {
    let setup = try Setup()
    let call = ProgramCall(setup.script("jazz"), in: setup.path)
    let jazz = StationDefinition(id: "jazz", source: .command(call))
    try await Scenario.withRelay([jazz]) { relay in
      try await relay.until("jazz", is: "playing")
      let rock = StationDefinition(id: "rock", source: .command(call))
      await #expect(throws: RelayError.self) { try await relay.relay.add(rock) }
      #expect(try await relay.get("/api/v1/stations/rock").status == 404)
    }
    #expect(setup.running("jazz").isEmpty)
  }

  @Test func `a check of the configuration names a program that is not there`() async throws {
    let setup = try Setup()
    try setup.write(setup.station("jazz", ["no-such-program", "x"]))
    let check = try await LongwaveProcess.command(
      ["config", "check", setup.file], data: setup.path + "/data")
    #expect(check.status == 78)
    #expect(check.log.contains("command: no such program: no-such-program (looked for in PATH)"))
    let doctor = try await LongwaveProcess.command(
      ["doctor", "--config", setup.file], data: setup.path + "/data")
    #expect(doctor.status == 1 && doctor.output.contains("jazz: no such program: no-such-program"))
    try setup.write(setup.station("jazz", ["cat", "secret-name"]))
    let good = try await LongwaveProcess.command(
      ["config", "check", setup.file], data: setup.path + "/data")
    #expect(good.status == 0 && good.output.contains("from command: cat"), "\(good.output)")
    #expect(!good.output.contains("secret-name"))
  }
}

/// `longwave relay -`: standard input as the upstream.
@Suite struct StandardInputTests {
  @Test func `standard input is relayed once, and the station ends with it`() async throws {
    let folder = TemporaryDirectory()
    let frames = NumberedFrames.stream(0..<1000)
    try Data(frames).write(to: URL(filePath: folder.path + "/frames.mp3"))
    let script = "cat \(folder.path)/frames.mp3 | \(Binary.longwave) relay - --listen 127.0.0.1:0 "
    let process = try ChildProcess(
      ["sh", "-c", script + "--data \(folder.path)/data"], leadsGroup: true)
    let address = try await eventually("it listens") {
      process.output.firstMatch(of: /listen +http:\/\/([0-9.:]+)\/input\n/).flatMap {
        SocketAddress(String($0.1))
      }
    }
    let listener = try StreamClient(to: address, get: "/input?offset=1h")
    try await listener.until { $0.bodyCount > 100_000 }
    #expect(areUnbroken(try NumberedFrames.numbers(in: listener.body, mayEndInFrame: true)))
    try await eventually("its end") {
      let answer = try await HTTPExchange("GET", "/api/v1/stations/input", at: address)
      let station = JSON.parse(answer.body)
      return station?["state"]?.string == "stopped"
        && station?["stateReason"]?.string == "standard input has ended"
        && station?["upstream"]?["url"]?.string == "standard input"
        && station?["window"]?["livePosition"]?.integer == frames.count
    }
  }

  @Test func `WAV on standard input is encoded`() async throws {
    let folder = TemporaryDirectory()
    let format = SampleFormat(sampleRate: 44_100, channels: 1, encoding: .s16le)
    let samples = Signals.sine(500, rate: 44_100, channels: 1, seconds: 20, amplitude: 0.5)
    let bytes = samples.flatMap {
      [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
    }
    try Data(format.endlessWAVHead() + bytes).write(to: URL(filePath: folder.path + "/tone.wav"))
    let script = "cat \(folder.path)/tone.wav | \(Binary.longwave) relay - --encode 64 "
    let process = try ChildProcess(
      ["sh", "-c", script + "--listen 127.0.0.1:0 --data \(folder.path)/data"], leadsGroup: true)
    let address = try await eventually("it listens") {
      process.output.firstMatch(of: /listen +http:\/\/([0-9.:]+)\/input\n/).flatMap {
        SocketAddress(String($0.1))
      }
    }
    let listener = try StreamClient(to: address, get: "/input?offset=1h")
    // All of it, with the encoder's rest.
    try await listener.until { $0.bodyCount >= 20 * 8000 }
    let decoded = try Mpg123Decoder().decode(listener.body)
    #expect(abs(decoded.count - samples.count) < 4000)
    for wrong in [["-", "--encode", "100"], ["http://127.0.0.1:1/", "--encode", "64"]] {
      let refused = try await LongwaveProcess.command(["relay"] + wrong)
      #expect(refused.status == 64 && refused.log.contains("encode") || refused.log.contains("100"))
    }
  }
}
