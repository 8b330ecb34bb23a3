import CHotPath
import Glibc
import TestSupport
import Testing
import Timeshift

@testable import Server

/// What the compiler has not optimised allocates; a sanitizer has an allocator of its own.
private let isAsBuiltForUsers = hotpath_counts_allocations() && !_isDebugAssertConfiguration()

/// What a listener's turn may cost at most.
@Suite struct HotPathTests {
  static let turns = 100

  @Test(.enabled(if: isAsBuiltForUsers), arguments: HotPath.Listeners.allCases)
  func `a listener's turn allocates nothing`(_ listeners: HotPath.Listeners) throws {
    let path = try HotPath(listeners)
    // What is made once, and grows: not of a listener's turn.
    for _ in 0..<Self.turns { path.turn(isMeasured: false) }
    let before = hotpath_allocations()
    for _ in 0..<Self.turns { path.turn(isMeasured: true) }
    // A segment, of a minute, is opened once for all of a loop.
    let segments = listeners.isOnDisk ? (path.seconds(turns: Self.turns) / 60).rounded(.up) : 0
    #expect(hotpath_allocations() - before <= UInt64(10 * segments))
    // A packet a turn, or nothing was measured.
    #expect(path.bytes >= HotPath.listeners * Self.turns * 400)
  }

  @Test(.enabled(if: isAsBuiltForUsers))
  func `a tap allocates for no packet and no title`() {
    var window = LogConfiguration()
    window.windowBytes = 4 << 20
    let station = NumberedLog(log: PacketLog(memoryOnly: window, at: .now()), seconds: 60)
    let tap = Tap(station.log, from: .oldest)
    for _ in 0..<Self.turns { _ = tap.read() }
    let before = hotpath_allocations()
    hotpath_measured(
      { context in
        guard let context else { return }
        let tap = Unmanaged<Tap>.fromOpaque(context).takeUnretainedValue()
        for _ in 0..<1000 { _ = tap.read() }
      }, Unmanaged.passUnretained(tap).toOpaque())
    #expect(hotpath_allocations() == before)
    #expect(tap.place?.position ?? 0 > 1000 * 417)
  }

  @Test(.enabled(if: isAsBuiltForUsers))
  func `an allocation is counted`() {
    let before = hotpath_allocations()
    // Kept until later: a compiler may leave out what nobody sees.
    var kept: UnsafeMutableRawPointer?
    hotpath_measured({ $0!.storeBytes(of: malloc(1), as: UnsafeMutableRawPointer?.self) }, &kept)
    #expect(hotpath_allocations() == before + 1)
    free(kept)
  }

  // The kernel's part is the same for all, and not in these figures: a write is 5 to 10 µs, a thousand instructions
  // less than half of one.
  @Test(.enabled(if: isAsBuiltForUsers))
  func `a turn takes no more instructions than it is allowed, beside a bare send`() async throws {
    var instructions: [HotPath.Listeners: Double] = [:]
    for listeners in HotPath.Listeners.allCases {
      instructions[listeners] = try await Self.instructions(of: listeners)
    }
    let bare = try #require(instructions[.bare])
    #expect(bare > 20, "callgrind has not seen the loop")
    for (listeners, ratio) in Self.ratiosMax {
      let found = try #require(instructions[listeners]) / bare
      #expect(found <= ratio, "\(listeners): \(instructions)")
    }
  }

  /// Instructions of a listener's turn to those of a bare `send` (32), with a fifth to spare for another compiler.
  /// Who is placed has a turn each half second, and gets 20 packets in it; in full, 160.
  private static let ratiosMax: [HotPath.Listeners: Double] = [
    .live: 19, .liveWithTitles: 20, .placed: 33, .placedOnDisk: 49, .placedOnDiskInFull: 140,
  ]

  /// Of a turn, in user mode, as callgrind counts them in this very program.
  private static func instructions(of listeners: HotPath.Listeners) async throws -> Double {
    // Without what is there for debuggers, which is of a kind that valgrind may be too old for.
    let folder = TemporaryDirectory()
    let program = folder.path + "/probe"
    let strip = try await ChildProcess.run(["strip", "--strip-debug", "-o", program, Binary.tests])
    try #require(strip.status == 0, "\(strip.log)")
    let valgrind = try await ChildProcess.run(
      [
        "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
        "--toggle-collect=hotpath_measured", program,
      ], environment: ChildProcess.plainEnvironment + ["HOTPATH_PROBE=\(listeners.rawValue)"],
      within: 600)
    try #require(valgrind.status == 0, "\(valgrind.output) \(valgrind.log)")
    let words = valgrind.log.split { $0.isWhitespace }
    let place = try #require(words.lastIndex(of: "Collected"))
    let count = try #require(Double(words[place + 2]))
    return count / Double(turns * HotPath.listeners)
  }
}

/// What callgrind looks at, in a process of its own.
@_cdecl("hotpath_probe")
func probeHotPath(_ what: UnsafePointer<CChar>) {
  guard let listeners = HotPath.Listeners(rawValue: String(cString: what)),
    let path = try? HotPath(listeners)
  else { exit(1) }
  for isMeasured in [false, true] {
    for _ in 0..<HotPathTests.turns { path.turn(isMeasured: isMeasured) }
  }
}
