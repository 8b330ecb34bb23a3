import Glibc
import Ingest
import Logging
import Reactor
import Server
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave
@testable import LongwaveAPI

/// A relay opens what an earlier version left, whole.
@Suite struct EarlierFolderTests {
  private func relay(_ folder: EarlierFolder) async throws -> Relay {
    var configuration = Configuration()
    configuration.server.threads = 1
    // Nobody listens on the discard port.
    configuration.stations = [StationDefinition(id: "jazz", upstream: ["http://127.0.0.1:9/jazz"])]
    var options = RelayOptions(
      data: folder.path, listen: [.ipv4(0x7F00_0001, port: 0)], interface: .http)
    options.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let relay = try await Relay(configuration: configuration, options: options)
    try await relay.start()
    return relay
  }

  private func opened(_ check: (Relay, EarlierFolder) async throws -> Void) async throws {
    let folder = try EarlierFolder(seen: Moment.now().wall.nanoseconds(since: .epoch))
    // A second start reads what the first one wrote.
    for _ in 0..<2 {
      let relay = try await relay(folder)
      do { try await check(relay, folder) } catch {
        await relay.stop()
        throw error
      }
      await relay.stop()
    }
  }

  @Test func `an earlier data folder keeps its stations, their memory and bans`() async throws {
    try await opened { relay, _ in
      let stations = await relay.stationSnapshots()
      #expect(stations.map(\.id) == ["jazz", "rock"])
      #expect(stations.map(\.sid) == [1, 2])
      #expect(stations.map(\.listeners.total) == [7, 0])
      #expect(stations.map { $0.state == .stopped } == [false, true])
      let rock = try await relay.definition(of: "rock")
      var expected = StationDefinition(id: "rock", upstream: ["http://127.0.0.1:7911/rock"])
      // What it was by default then, and is still what somebody may have wanted.
      expected.fallbackAfter = 10
      #expect(rock == expected)
      #expect(await relay.bans().map(\.range.text) == ["10.9.9.9"])
      #expect(await relay.bans().map(\.reason) == ["noise"])
    }
  }

  @Test(arguments: [
    ("jazz", EarlierFolder.jazzFrames, ["Song 2", "Song 1", "Song 0"]),
    ("rock", EarlierFolder.rockFrames, ["Song 1", "Song 0"]),
  ])
  func `an earlier data folder keeps every byte and title of its window`(
    station: String, frames: Range<UInt64>, titles: [String]
  ) async throws {
    try await opened { relay, _ in
      let log = try #require(await relay.log(of: station))
      let reader = LogReader(log)
      let window = reader.oldest.position..<reader.edge.position
      #expect(window == 0..<NumberedFrames.position(of: frames.upperBound))
      let bytes = reader.collect(window) { usleep(1000) }
      #expect(bytes == NumberedFrames.stream(frames))
      let history = try await relay.history(of: station, limit: 10)
      #expect(history.map(\.playing.title) == titles)
    }
  }

  @Test func `an earlier data folder keeps a session where it was paused`() async throws {
    try await opened { relay, _ in
      let session = try await relay.session("my-session_1").snapshot()
      #expect(session.station == "jazz" && session.canRewind && session.canForward)
      #expect(session.position == NumberedFrames.position(of: EarlierFolder.sessionFrame))
    }
  }

  @Test func `a recording that ended is listed, and one that did not goes on where it was`()
    async throws
  {
    var folder: EarlierFolder?
    try await opened { relay, opened in
      folder = opened
      try await eventually("the rest of the window in a file") {
        await relay.recordings().allSatisfy { $0.seconds > 0.99 }
      }
      let recordings = await relay.recordings().sorted { $0.id < $1.id }
      #expect(recordings.map(\.state) == [.finished, .recording])
      #expect(recordings.map(\.missedSeconds) == [0, 0])
      #expect(recordings[0].files.map(\.name) == [EarlierFolder.recorded])
    }
    let files = try #require(folder).recordings
    let ended = try #require(files[EarlierFolder.recorded])
    #expect(ended.elementsEqual(EarlierFolder.recordedBytes))
    // What its end left of the one file was cut to what is known of, and the next one begins there.
    let frames = files.filter { $0.key != EarlierFolder.recorded }.sorted { $0.key < $1.key }
      // Less the ID3v2.4 tag, whose header of 10 bytes ends with its length.
      .flatMap { $0.value.dropFirst(10 + Int($0.value[9])) }
    #expect(try NumberedFrames.numbers(in: frames) == Array(EarlierFolder.unfinishedFrames))
  }
}
