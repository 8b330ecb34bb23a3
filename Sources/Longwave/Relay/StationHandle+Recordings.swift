import Foundation
import Timeshift
import Wire

// A program's recordings and cuts of a station.
extension StationHandle {
  /// Records into files on the server's disk; `recordings()` tells how far it has come.
  ///
  /// - Parameters:
  ///   - from: where in the station's past the recording begins; nil: now.
  ///   - until: nil: until it is stopped.
  ///   - splits: whether each title becomes a file of its own.
  ///   - name: a pattern for the files' names, as in `record:` of the configuration; nil: the usual one.
  /// - Throws: `RelayError.badField`; `.outOfWindow` where the log does not go back to `from`; `.recordingOff`.
  @discardableResult
  public func record(
    from: Date? = nil, until: Date? = nil, splits: Bool = false, name: String? = nil
  ) async throws(RelayError) -> Recording {
    var options = RecordingEntry.Options(
      station: id, name: name ?? RecordingName.standard(splits: splits))
    do throws(InvalidValue) {
      options.name = try ValueRule.recordingName().parse(options.name)
    } catch {
      throw .badField("name", "\(error)")
    }
    options.splits = splits
    options.limit(from: from, until: until)
    try options.requireOrder(now: Moment.now().wall)
    return Recording(try await relay.record(options))
  }

  /// The station's recordings, in the order of their beginning.
  public func recordings() async -> [Recording] { await relay.recordings(of: id) }

  /// Cuts a piece out of the window: whole packets of one format, as a player's file, held in memory.
  ///
  /// - Returns: nil when nothing of that time is in the window.
  /// - Throws: `RelayError.unknownStation`; `.silentDisk` when the disk does not deliver for ten seconds;
  ///   `.outOfWindow` when the piece left the window while it was copied.
  public func clip(from: Date, to: Date) async throws(RelayError) -> Data? {
    guard let (log, delay) = try await relay.heardLog(of: id) else { return nil }
    let cut = ClipCut(log, delay: delay, from: WallTime(from), to: WallTime(to))
    var waits = 0
    while true {
      switch cut.next() {
      case .more: waits = 0
      case .loading:
        waits += 1
        if waits > 1000 { throw .silentDisk("the disk of station \"\(id)\" does not answer") }
        try? await Task.sleep(for: .milliseconds(10))
      case .done: return cut.data
      case .nothing: return nil
      case .gone: throw .outOfWindow(id, oldest: nil)
      }
    }
  }
}

/// Copies a clip out of a log, some packets at a time.
private final class ClipCut {
  enum Step { case more, loading, done, nothing, gone }

  private let reader: LogReader
  private let (from, to): (WallTime, WallTime)
  private let scratch = UnsafeMutableRawBufferPointer.allocate(
    byteCount: LogReader.clipScratchBytes, alignment: 16)
  private var clip: Clip?
  private(set) var data = Data()

  init(_ log: PacketLog, delay: MediaTime, from: WallTime, to: WallTime) {
    reader = LogReader(log, delay: delay, at: .now())
    (self.from, self.to) = (from, to)
  }

  deinit { scratch.deallocate() }

  func next() -> Step {
    reader.refresh()
    guard let clip else { return begin() }
    if data.count >= clip.byteCount { return .done }
    switch reader.read(clip, at: data.count, limit: scratch.count, scratch: scratch) {
    case .bytes(let bytes):
      data.append(contentsOf: bytes)
      return bytes.isEmpty ? .done : .more
    case .loading, .liveEdge: return .loading
    // The piece left the window, or its disk lost it, while it was copied.
    case .hole, .overrun: return .gone
    }
  }

  private func begin() -> Step {
    switch reader.clip(from: from, to: to) {
    case .clip(let found):
      clip = found
      return .more
    case .loading: return .loading
    case .nothing: return .nothing
    }
  }
}
