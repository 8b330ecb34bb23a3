import Foundation
import GRDB
import Ingest
import Logging
import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave
@testable import LongwaveAPI
@testable import Store

/// Where a recording is, and goes on, when what is around it changes.
@Suite struct RecordingPlaceTests {
  private let data = TemporaryDirectory()

  private func entry(_ folder: String) -> RecordingEntry {
    var entry = RecordingEntry(
      id: 0, options: RecordingEntry.Options(station: "jazz", name: "show"), startedAt: 1)
    entry.folder = folder
    return entry
  }

  @Test
  func `a recording in a copied data folder is in the copy, one outside where it was`()
    async throws
  {
    let copy = TemporaryDirectory()
    var store = try await StationStore.open(data.path + "/longwave.db")
    let folders = [data.path + "/recordings", data.path + "/a/b", "/srv/shows", data.path + "-2"]
    for folder in folders {
      var kept = entry(folder)
      kept.id = try await store.add(kept)
      kept.seconds = 7
      try await store.save(kept)
    }
    // As older versions have them.
    let old = String(decoding: try JSONEncoder().encode(entry(folders[0])), as: UTF8.self)
    try await store.write("as before") { db in
      try db.execute(sql: "INSERT INTO recording (entry) VALUES (?)", arguments: [old])
    }
    #expect(try await store.recordings().map(\.folder) == folders + [folders[0]])
    await store.close()
    try FileManager.default.copyItem(
      atPath: data.path + "/longwave.db", toPath: copy.path + "/longwave.db")
    store = try await StationStore.open(copy.path + "/longwave.db")
    #expect(
      try await store.recordings().map(\.folder) == [
        copy.path + "/recordings", copy.path + "/a/b", folders[2], folders[3], folders[0],
      ])
    await store.close()
  }

  private func relay() async throws -> Relay {
    var configuration = Longwave.Configuration()
    configuration.server.threads = 1
    var options = RelayOptions(
      data: data.path, listen: [.ipv4(0x7F00_0001, port: 0)], interface: .http)
    options.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let relay = try await Relay(configuration: configuration, options: options)
    try await relay.start()
    return relay
  }

  /// Second by second.
  private func play(_ station: NumberedLog, seconds: Int, from start: Moment) -> Moment {
    var now = start
    for _ in 0..<seconds {
      now = now.adding(seconds: 38.0 * 1152 / 44_100)
      station.append(38, at: now)
    }
    return now
  }

  @Test(arguments: [(3600, 0), (0, 3600)])
  func `a recording goes on where its station's window comes to disk or leaves it`(
    before: Int, after: Int
  ) async throws {
    let relay = try await relay()
    var definition = StationDefinition(id: "jazz", upstream: ["http://127.0.0.1:9/jazz"])
    definition.window = Double(before)
    _ = try await relay.add(definition)
    // Its upstream brings nothing; the test does.
    await relay.ingest.stop(station: "jazz")
    let first = NumberedLog(log: try #require(await relay.log(of: "jazz")), seconds: 0)
    var now = play(first, seconds: 2, from: .now())
    let id = try await relay.record(RecordingEntry.Options(station: "jazz", name: "show")).id
    func entry() async throws -> RecordingEntry {
      try #require(await relay.recordings().first { $0.id == id })
    }
    try await eventually("it has begun") { try await entry().place != nil }
    now = play(first, seconds: 6, from: now)
    try await eventually("it records") { try await entry().seconds > 5 }
    _ = try await relay.change("jazz", by: ["window": .number(Double(after))])
    #expect(try await entry().state == .recording)
    let log = try #require(await relay.log(of: "jazz"))
    #expect(log !== first.log)
    await relay.ingest.stop(station: "jazz")
    let second = NumberedLog(log: log, seconds: 0, first: first.next)
    now = play(second, seconds: 6, from: now)
    try await eventually("it goes on") { try await entry().seconds > 10 }
    #expect(try await relay.stopRecording(id))
    let ended = try await entry()
    #expect(ended.state == .finished && ended.missedSeconds < 1, "\(ended)")
    var numbers: [UInt64] = []
    for name in ended.files.map(\.name) {
      let file = data.read("recordings/" + name)
      let tag = file[6..<10].reduce(0) { $0 << 7 | Int($1) }
      numbers += try NumberedFrames.numbers(in: Array(file[(10 + tag)...]))
    }
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 && $1 - $0 < 38 })
    #expect(numbers.last == second.next - 1 && numbers.count > 10 * 38)
    await relay.stop()
  }
}
