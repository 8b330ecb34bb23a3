import Foundation
import Longwave
import TestSupport
import Testing

/// A wall clock that is set while the program records.
@Suite struct RecordingClockScenarioTests {
  /// The program's wall clock an hour ahead of the kernel's: what waits by it waits as after a step back by an hour.
  private static let hourAhead = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <time.h>
    int clock_gettime(clockid_t clock, struct timespec *time) {
      int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
      int result = real(clock, time);
      if (clock == CLOCK_REALTIME) time->tv_sec += 3600;
      return result;
    }
    """

  @Test(.enabled(if: Binary.find("cc") != nil))
  func `a recording goes on where the wall clock is put back`() async throws {
    let scratch = TemporaryDirectory()
    let (source, library) = (scratch.file("ahead.c"), scratch.file("ahead.so"))
    try Self.hourAhead.write(toFile: source, atomically: true, encoding: .utf8)
    try Tool.must(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], in: scratch)
    let upstream = try FakeUpstream(.numbered(before: 1000))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 12)))
    let data = TemporaryDirectory()
    let server = try ChildProcess(
      ["env", "LD_PRELOAD=" + library, Binary.longwave, "serve", "--data", data.path]
        + ["--listen", "127.0.0.1:0"])
    func longwave(_ arguments: String...) async throws -> ChildProcess.Result {
      try await LongwaveProcess.command(arguments, data: data.path)
    }
    try await eventually("a server", within: 60) {
      try await longwave("station", "add", "jazz", upstream.url("/live")).status == 0
    }
    try await eventually("a recording", within: 60) {
      try await longwave("record", "start", "jazz").status == 0
    }
    // Further than its first look at the log.
    try await eventually("5 s of it", within: 60) {
      let list = try await longwave("record", "list", "--json").json["recordings"]?.items
      return (list?.first?["seconds"]?.double ?? 0) > 5
    }
    server.signal(SIGKILL)
    _ = try await server.end()
  }
}
