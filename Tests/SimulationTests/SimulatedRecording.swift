import Timeshift

@testable import Longwave

/// A recording of the simulated station: the relay's own work on files, on a disk that fails when the log's does.
final class SimulatedRecording {
  let disk: SimulatedDisk
  private let space: RecordingSpace
  private var work: RecordingWork?
  /// What the database was told, and when; the last is what it has.
  private var reports: [(at: Double, entry: RecordingEntry)] = []
  /// When it was last where it should be, or could not be.
  private var contentAt = 0.0
  private(set) var endsAt = 0.0
  /// Where the log was when it began.
  private(set) var start: UInt64 = 0
  private var count: Int64 = 0

  /// What a loss of power takes from the database: nothing that is older than these seconds.
  private static let reportSeconds = 60.0
  /// A disk that failed is tried again within this, seconds.
  private static let patience = 25.0

  init(seed: UInt64) {
    disk = SimulatedDisk(seed: seed ^ 0x5EC0_4D)
    var space = RecordingSpace(RecordingSection(), data: "/simulated")
    space.calls = disk.calls
    self.space = space
  }

  var isAsked: Bool { !reports.isEmpty }
  private var stored: RecordingEntry? { reports.last?.entry }

  // MARK: A recording's life

  func begin(_ life: Life, at moment: Moment, now: Double, until end: Double, splits: Bool) {
    count += 1
    var options = RecordingEntry.Options(station: "simulated", name: "show-\(count)")
    options.splits = splits
    var entry = RecordingEntry(id: count, options: options, startedAt: moment.wall.stored)
    entry.folder = space.folder
    reports = [(now, entry)]
    (start, endsAt) = (life.log.edgePosition, end)
    resume(life, now: now)
  }

  /// In another process, or from the beginning.
  func resume(_ life: Life, now: Double) {
    guard let stored else { return }
    contentAt = now
    Trace.tell(now, "recording goes on: \(Self.told(stored))")
    work = RecordingWork(
      stored, log: life.log, from: life.log.snapshot().edge, station: "Title", space: space)
  }

  func step(_ life: Life, at moment: Moment, now: Double, mayFail: Bool) throws {
    guard let work else { return }
    let before = work.entry.place?.position
    // It begins with what is live when it is looked at first.
    if work.tap.place == nil { start = life.log.snapshot().edge.position }
    do throws(RecordingError) {
      if try work.attempt(isEnding: false, at: moment) {
        throw RecordingError("it ended by itself: \(work.entry.reason ?? "without a reason")")
      }
    } catch {
      throw Violation(kind: "recording", text: error.description, at: now)
    }
    report(work.synced, now)
    let isOn = work.entry.place?.position != before
    let lag = work.tap.place.map { (life.reader.edge.media - $0.media).seconds } ?? 0
    if mayFail || isOn || lag < 5 { contentAt = now }
    if now - contentAt > Self.patience {
      throw Violation(
        kind: "recording",
        text: "it has stood for \(now - contentAt) s, \(lag) s behind, at "
          + "\(work.tap.place?.position ?? 0): \(work.entry.reason ?? "no reason")", at: now)
    }
  }

  /// Its thread waits for the disk.
  func hang(_ now: Double) { contentAt = now }

  private static func told(_ entry: RecordingEntry) -> String {
    let files = entry.files.suffix(3).map { "\($0.name) \($0.bytes)" }
    let current = entry.current.map { "\($0.name) \($0.bytes)" } ?? "none"
    return "at \(entry.place?.position ?? 0), files \(files), in \(current), \(entry.reason ?? "")"
  }

  private func report(_ entry: RecordingEntry, _ now: Double) {
    guard entry != stored else { return }
    Trace.tell(now, "recording: \(Self.told(entry))")
    reports.append((now, entry))
    while reports.count > 1, reports[1].at < now - Self.reportSeconds { reports.removeFirst() }
  }

  /// The relay is stopped: it goes on after the restart.
  func suspend(_ life: Life, at moment: Moment, now: Double) {
    guard let work else { return }
    _ = finish(work, life, at: moment, goesOn: true)
    report(work.entry, now)
    self.work = nil
  }

  /// The process has gone. A loss of power takes of the database what it had not synced.
  func endProcess(losesPower: Bool, _ random: inout SimulationRandom) {
    if losesPower {
      disk.losePower()
      if !reports.isEmpty {
        reports.removeLast(Int.random(in: 0..<reports.count, using: &random))
      }
    } else {
      disk.endProcess()
    }
    work = nil
  }

  /// It is over; and why, where what was left of it could not be written.
  func end(_ life: Life, at moment: Moment) -> (entry: RecordingEntry, complaint: String?)? {
    guard let work else { return nil }
    defer { (self.work, reports) = (nil, []) }
    let complaint = finish(work, life, at: moment, goesOn: false)
    return (work.entry, complaint)
  }

  /// As the thread of a recording does it.
  private func finish(
    _ work: RecordingWork, _ life: Life, at moment: Moment, goesOn: Bool
  ) -> String? {
    defer { work.abandon() }
    do throws(RecordingError) {
      for _ in 0..<150 {
        if try work.attempt(isEnding: true, goesOn: goesOn, at: moment) { return nil }
        life.storage.runOnce(at: moment.monotonic)
      }
      return "what is left of it cannot be read"
    } catch {
      return error.description
    }
  }

  // MARK: What has become of it

  /// Its files' frames, in order.
  func frames(
    of entry: RecordingEntry, at now: Double
  ) throws -> [(encoding: Encoding, content: UInt64)] {
    var frames: [(encoding: Encoding, content: UInt64)] = []
    for file in entry.files {
      let path = "\(space.folder)/\(file.name)"
      guard let bytes = disk.contents(of: path) else {
        throw Violation(kind: "recording", text: "\(path) is not there", at: now)
      }
      guard bytes.count == file.bytes else {
        throw Violation(
          kind: "recording", text: "\(path) has \(bytes.count) bytes of \(file.bytes)", at: now)
      }
      do {
        frames += try Self.frames(in: bytes)
      } catch {
        throw Violation(kind: "recording", text: "\(path): \(error)", at: now)
      }
    }
    return frames
  }

  private static func frames(
    in bytes: [UInt8]
  ) throws -> [(encoding: Encoding, content: UInt64)] {
    var frames: [(encoding: Encoding, content: UInt64)] = []
    var ear = SimulatedEar()
    var rest = bytes[tagBytes(bytes)...]
    while !rest.isEmpty {
      if let (encoding, content) = Encoding.read(rest) {
        if encoding.isOgg { try ear.take(rest) }
        frames.append((encoding, content))
        rest = rest.dropFirst(encoding.frameBytes)
      } else if let count = try ear.header(rest) {
        rest = rest.dropFirst(count)
      } else {
        throw SimulatedEar.Complaint(
          "no frame at \(rest.startIndex) of \(bytes.count), behind \(frames.count) frames")
      }
    }
    return frames
  }

  /// Of an ID3v2 tag, whose size is in four times seven bits (id3.org, ID3v2.4 §3.1).
  private static func tagBytes(_ bytes: [UInt8]) -> Int {
    guard bytes.count > 10, bytes.starts(with: Array("ID3".utf8)) else { return 0 }
    return min(bytes.count, 10 + bytes[6..<10].reduce(0) { $0 << 7 | Int($1) })
  }

  func remove(_ entry: RecordingEntry) {
    for file in entry.files { _ = disk.calls.remove("\(space.folder)/\(file.name)") }
  }
}
