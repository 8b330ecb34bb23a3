import Glibc
import Reactor
import TestSupport
import Testing
import Timeshift

@testable import Ingest

/// Upstreams that are programs. They are real ones: a shell, and what every machine has.
@Suite(.serialized) struct ProgramScenarioTests {
  @Test func `a program's output is logged byte for byte, and begins again after a good end`()
    async throws
  {
    let harness = try ProgramHarness(frames: 300)
    await harness.start("cat frames.mp3")
    #expect(await harness.station.wait { _ in harness.isComplete(times: 2) })
    let audio = await harness.station.finish()
    let frames = NumberedFrames.stream(0..<300)
    #expect(audio.prefix(frames.count) == frames[...])
    #expect(audio.prefix(frames.count * 2).suffix(frames.count) == frames[...])
    #expect(harness.failures.isEmpty)
    #expect(harness.station.states.prefix(3) == [.connecting, .buffering, .playing])
  }

  @Test func `a program that dies is begun again, and twenty deaths leave nothing behind`()
    async throws
  {
    let harness = try ProgramHarness()
    let pipes = openDescriptors(below: "pipe:")
    await harness.start("echo $$ >> pids; cat frames.mp3; echo it broke >&2; exit 3")
    #expect(await harness.station.wait { _ in harness.failures.count >= 20 })
    #expect(harness.failures[0] == "sh ended with exit code 3\nit broke")
    let status = try #require(await harness.station.ingest.status(station: "test"))
    #expect(status.attempts >= 20)
    #expect(status.bytes >= UInt64(20 * NumberedFrames.stream(0..<400).count))
    try await harness.finish()
    #expect(harness.processes.count >= 20)
    try await eventually("no pipe is left") { openDescriptors(below: "pipe:") <= pipes }
  }

  @Test func `a signal that ends a program is told by number and name`() async throws {
    let harness = try ProgramHarness()
    await harness.start("cat frames.mp3; kill -KILL $$")
    #expect(await harness.station.wait { _ in !harness.failures.isEmpty })
    #expect(harness.failures.first == "sh was ended by signal 9 (Killed)")
    try await harness.finish()
  }

  @Test(arguments: ["", "trap '' TERM; "])
  func `a program's children that hold its pipe are ended with it`(trap: String) async throws {
    let harness = try ProgramHarness()
    await harness.start(
      "(\(trap)while :; do sleep 1; done) & echo $! >> pids; echo $$ >> pids; cat frames.mp3; "
        + "exit 1")
    #expect(await harness.station.wait { _ in harness.failures.count >= 2 })
    #expect(harness.failures.first == "sh ended with exit code 1")
    #expect(harness.processes.prefix(2).allSatisfy { !ProgramHarness.remains($0) })
    try await harness.finish()
  }

  @Test func `a child that has left a program's group holds no pipe open`() async throws {
    let harness = try ProgramHarness()
    let pipes = openDescriptors(below: "pipe:")
    await harness.start("setsid sh -c 'echo $$ >> left; sleep 3600' & cat frames.mp3; exit 1")
    #expect(await harness.station.wait { _ in !harness.failures.isEmpty })
    _ = await harness.station.finish()
    try await eventually("no pipe is left") { openDescriptors(below: "pipe:") <= pipes }
    for line in String(decoding: harness.folder.read("left"), as: UTF8.self).split(separator: "\n")
    {
      if let group = pid_t(line) { kill(-group, SIGKILL) }
    }
  }

  @Test func `20 MB of errors do no harm, and only the last 4 KiB are kept`() async throws {
    let harness = try ProgramHarness()
    await harness.start(
      "yes 'nothing is right' | head -c 20400000 >&2; cat frames.mp3; echo the end >&2; exit 2")
    #expect(await harness.station.wait { _ in !harness.failures.isEmpty })
    let reason = try #require(harness.failures.first)
    #expect(reason.hasPrefix("sh ended with exit code 2\n") && reason.hasSuffix("\nthe end"))
    #expect(reason.utf8.count <= 4096 + 100)
    let said = harness.station.events.count { if case .programSaid = $0 { true } else { false } }
    #expect(said > 0 && said < 5000)
    try await harness.finish()
  }

  @Test func `a program that writes as fast as it can is held at the station's lead`() async throws
  {
    let harness = try ProgramHarness(frames: 1000)
    let log = harness.station.log
    let beganAt = MonotonicTime.now()
    await harness.start("while :; do cat frames.mp3; done") { $0.leadMax = 5 }
    for seconds in stride(from: 4.0, to: 8, by: 0.5) {
      #expect(await harness.station.wait { _ in log.snapshot().edge.media.seconds >= seconds })
      let media = log.snapshot().edge.media.seconds
      // A piece is taken whole: at most 64 KiB, 4.1 s.
      #expect(media <= MonotonicTime.now().seconds(since: beganAt) + 5 + 4.2)
    }
    try await harness.finish()
  }

  @Test func `a program that hangs and ignores TERM is killed and begun again`() async throws {
    let harness = try ProgramHarness()
    await harness.start("trap '' TERM; echo $$ >> pids; cat frames.mp3; while :; do sleep 1; done")
    {
      $0.dataTimeout = 1
    }
    #expect(
      await harness.station.wait {
        $0.said { if case .timeout("no data for 1.0 s", _) = $0 { true } else { false } }
          && harness.processes.count >= 2
      })
    #expect(!ProgramHarness.remains(harness.processes[0]))
    try await harness.finish()
  }

  @Test func `a program that closes its output and lives on is ended`() async throws {
    let harness = try ProgramHarness()
    await harness.start("echo $$ >> pids; cat frames.mp3; exec >&-; while :; do sleep 1; done")
    #expect(await harness.station.wait { _ in !harness.failures.isEmpty })
    #expect(harness.failures.first == "sh closed its output and did not end")
    try await harness.finish()
  }

  @Test(arguments: [
    (["no-such-program"], "no such program: no-such-program (looked for in PATH)"),
    (["/no/such/program", "x"], "no such program: /no/such/program"),
    (["./frames.mp3"], "is not executable; chmod +x makes it so"),
    (["./text"], "cannot be run: it is no program; a script begins with #!"),
    (["./orphan"], "cannot be run: its interpreter is missing"),
    (["true"], "true ended and wrote nothing"), (["false"], "false ended with exit code 1"),
  ])
  func `a program that cannot be run makes its station fail with the reason`(
    arguments: [String], reason: String
  ) async throws {
    let harness = try ProgramHarness()
    try harness.write(Array("x".utf8), to: "text")
    try harness.write(Array("#!/no/such/interpreter\n".utf8), to: "orphan")
    for name in ["text", "orphan"] { chmod(harness.folder.path + "/" + name, 0o700) }
    await harness.station.start(
      ProgramHarness.settings(ProgramCall(arguments, in: harness.folder.path)))
    #expect(
      await harness.station.wait {
        $0.said { event in
          if case .state(.failed, let told) = event { told.hasSuffix(reason) } else { false }
        }
      }, "\(harness.station.events)")
    try await harness.finish()
  }

  @Test func `text is no audio, and not the address of some`() async throws {
    let harness = try ProgramHarness()
    await harness.start("echo http://127.0.0.1:9/stream.mp3")
    #expect(
      await harness.station.wait {
        $0.said {
          if case .badContent("the program writes text and no audio", _) = $0 {
            true
          } else {
            false
          }
        }
      })
    try await harness.finish()
  }

  @Test func `a program inherits two pipes, and none of our variables and ignored signals`()
    async throws
  {
    let harness = try ProgramHarness()
    setenv("LONGWAVE_PROGRAM_TEST", "secret", 1)
    setenv("NOTIFY_SOCKET", "@PROGRAM_TEST", 1)
    setenv("PROGRAM_TEST", "told", 1)
    // One that does not close by itself, as a library may have.
    let leaked = open("/dev/null", O_RDONLY)
    defer {
      close(leaked)
      unsetenv("LONGWAVE_PROGRAM_TEST")
      unsetenv("NOTIFY_SOCKET")
      unsetenv("PROGRAM_TEST")
    }
    let script = """
      { ls -l /proc/self/fd | sed -n 's/.* \\([0-9]*\\) -> /fd \\1 /p'
      env | grep PROGRAM_TEST
      grep -E '^Sig(Blk|Ign)' /proc/self/status
      pwd
      read -r pid name state parent group session rest < /proc/$$/stat
      [ $$ = $group ] && [ $$ = $session ] && echo leads; } > telling
      # At once, since the next attempt tells it again.
      mv telling told
      exit 9
      """
    await harness.start(script)
    #expect(await harness.station.wait { _ in !harness.failures.isEmpty })
    let lines = String(decoding: harness.folder.read("told"), as: UTF8.self)
      .split(separator: "\n").map(String.init)
    let descriptors = lines.filter { $0.hasPrefix("fd ") }
    // The third is the listed folder.
    try #require(descriptors.count == 4 && descriptors[0] == "fd 0 /dev/null", "\(lines)")
    #expect(descriptors[3].contains("/proc/"))
    #expect(lines.contains("PROGRAM_TEST=told") && !lines.contains { $0.contains("LONGWAVE") })
    #expect(lines.contains("SigBlk:\t0000000000000000"))
    // The C library keeps 32 and 33 to itself.
    let ignored = lines.first { $0.hasPrefix("SigIgn:\t") }
    #expect(ignored.flatMap { UInt64($0.dropFirst(8), radix: 16) }.map { $0 & ~0x1_8000_0000 } == 0)
    #expect(lines.contains(harness.folder.path) && lines.contains("leads"))
    try await harness.finish()
  }

  @Test func `a pause ends a program, and going on begins it`() async throws {
    let harness = try ProgramHarness()
    await harness.start("echo $$ >> pids; while :; do cat frames.mp3; done")
    #expect(await harness.station.wait { $0.states.contains(.playing) })
    await harness.station.ingest.pause(station: "test")
    try await eventually("it has gone") { harness.remaining.isEmpty }
    #expect(harness.processes.count == 1)
    await harness.station.ingest.resume(station: "test")
    try await eventually("it is back") { harness.remaining.count == 1 }
    #expect(harness.processes.count == 2)
    try await harness.finish()
  }

  @Test func `two programs of one call never run at once while the first one ends`() async throws {
    let harness = try ProgramHarness()
    // It says when it begins and, a while after it was told to, when it ends.
    await harness.start(
      "trap 'sleep 0.3; echo end >> turns; exit 0' TERM; echo begin >> turns; cat frames.mp3; "
        + "while :; do sleep 0.05; done")
    for count in 1...3 {
      #expect(
        await harness.station.wait { _ in
          String(decoding: harness.folder.read("turns"), as: UTF8.self)
            .split(separator: "\n").count { $0 == "begin" } >= count
        })
      await harness.station.ingest.pause(station: "test")
      await harness.station.ingest.resume(station: "test")
    }
    _ = await harness.station.finish()
    let turns = String(decoding: harness.folder.read("turns"), as: UTF8.self).split(separator: "\n")
    #expect(!zip(turns, turns.dropFirst()).contains { $0 == $1 }, "\(turns)")
  }
}
