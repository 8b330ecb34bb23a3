import Audio
import Library
import Media
import Settings
import Synchronization
import Threads
import Timeshift
import Wire

/// Makes tracks fit programmes: each once for all of them, ahead of when it is due, behind everything else.
///
/// What is due first is made first. A disk that hangs costs the tracks on it their time, and a worker some seconds.
final class FileMaker: Sendable {
  /// A file that was made, and it open.
  struct Made: Sendable {
    var file: MusicFile
    var open: MediaFile
  }

  typealias Outcome = Result<Made, ItemFailure>

  private struct Job {
    var file: MusicFile
    var format: MadeFormat
    /// When it is played, in milliseconds since 1970.
    var due: Int64
    var waiters: [CheckedContinuation<Outcome, Never>] = []
    /// Since it is made; nil while it waits.
    var progress: LookProgress?
  }

  private struct State {
    var isOver = false
    /// By the names of the files.
    var waiting: [String: Job] = [:]
    var running: [String: Job] = [:]
    /// Workers that run.
    var workers = 0
    /// Threads that make something of each folder's files; those that hang, too.
    var threads: [String: Int] = [:]
    var threadsBegun = 0
  }

  /// Files that wait: of 200 programmes, four each.
  private static let waitingMax = 800
  private static let ended = ItemFailure("the relay ends")

  private let files: MadeFiles
  private let workersMax: Int
  private let patience: Double
  private let turns = FolderTurns()
  private let state = Mutex(State())

  /// - Parameters:
  ///   - workers: files that are made at once.
  ///   - patience: seconds after which a disk counts as hanging on which nothing gets on.
  init(_ files: MadeFiles, workers: Int = 2, patience: Double = LookPace().patience) {
    (self.files, workersMax, self.patience) = (files, workers, patience)
  }

  func use(_ settings: CacheSettings) { files.use(settings) }

  var figures: MadeFiles.Figures { files.figures }

  /// The number of those who wait for a file.
  var waitingCount: Int {
    state.withLock { state in
      (Array(state.waiting.values) + Array(state.running.values)).reduce(0) {
        $0 + $1.waiters.count
      }
    }
  }

  /// Returns a track in a format, made by now.
  ///
  /// - Parameter due: when it is played, in milliseconds since 1970.
  func make(_ file: MusicFile, as format: MadeFormat, due: Int64) async -> Outcome {
    let name = MadeFiles.name(of: file.wholeKey, as: format)
    let found = await turns.run(in: files.folder, within: ItemReader.patience) { [files] in
      files.open(name)
    }
    guard let found else { return .failure(.silentDisk) }
    if let found { return .success(made(of: file, found, format)) }
    return await withCheckedContinuation { continuation in
      let refusal = state.withLock { state -> ItemFailure? in
        if state.isOver { return Self.ended }
        if state.running[name] != nil {
          state.running[name]?.waiters.append(continuation)
          return nil
        }
        if state.waiting[name] == nil {
          guard state.waiting.count < Self.waitingMax else {
            return ItemFailure("too many tracks wait to be made to fit")
          }
          state.waiting[name] = Job(file: file, format: format, due: due)
        }
        let first = min(due, state.waiting[name]?.due ?? due)
        state.waiting[name]?.due = first
        state.waiting[name]?.waiters.append(continuation)
        return nil
      }
      if let refusal { continuation.resume(returning: .failure(refusal)) }
      work()
    }
  }

  /// Deletes a made file that cannot be played.
  func drop(_ made: MusicFile) async {
    let name = String(decoding: made.path, as: UTF8.self)
    await turns.run(in: files.folder, within: ItemReader.patience) { [files] in files.drop(name) }
  }

  /// Makes nothing any more; does not wait for what is being made.
  func stop() {
    let waiters = state.withLock { state in
      state.isOver = true
      for job in state.running.values { job.progress?.end() }
      defer { state.waiting = [:] }
      return state.waiting.values.flatMap(\.waiters)
    }
    for waiter in waiters { waiter.resume(returning: .failure(Self.ended)) }
  }

  // MARK: Workers

  private func work() {
    let isNeeded = state.withLock { state in
      guard !state.waiting.isEmpty, state.workers < workersMax else { return false }
      state.workers += 1
      return true
    }
    if !isNeeded { return }
    Task(priority: .background) {
      while let (name, job) = next() {
        let outcome = await made(job, name)
        let waiters = state.withLock { $0.running.removeValue(forKey: name)?.waiters ?? [] }
        for waiter in waiters { waiter.resume(returning: outcome) }
      }
    }
  }

  /// Returns what is due first; nil ends the worker.
  private func next() -> (name: String, job: Job)? {
    state.withLock { state in
      guard
        let (name, found) = state.waiting.min(by: {
          ($0.value.due, $0.key) < ($1.value.due, $1.key)
        })
      else {
        state.workers -= 1
        return nil
      }
      var job = found
      job.progress = LookProgress()
      state.waiting[name] = nil
      state.running[name] = job
      return (name, job)
    }
  }

  private func made(_ job: Job, _ name: String) async -> Outcome {
    let (root, progress) = (job.file.root, job.progress ?? LookProgress())
    let number = state.withLock { state -> Int? in
      // What hung there before hangs still.
      guard state.threads[root] ?? 0 < 2 * workersMax else { return nil }
      state.threads[root, default: 0] += 1
      state.threadsBegun += 1
      return state.threadsBegun
    }
    guard let number else { return .failure(.silentDisk) }
    let outcome = await turns.run(
      in: "\(root) \(number)", unless: { [patience] in progress.isStuck(patience) },
      late: { [self] _ in leave(root) }
    ) { [files] in
      SystemThread.stepBack()
      return Self.make(job, name, number, in: files)
    }
    progress.end()
    switch outcome {
    case .success(let open)?:
      leave(root)
      return .success(made(of: job.file, open, job.format))
    case .failure(let failure)?:
      leave(root)
      return .failure(failure)
    case nil: return .failure(.silentDisk)
    }
  }

  private func leave(_ root: String) {
    state.withLock { state in
      let left = (state.threads[root] ?? 1) - 1
      state.threads[root] = left > 0 ? left : nil
    }
  }

  private func made(of file: MusicFile, _ open: MediaFile, _ format: MadeFormat) -> Made {
    var made = file
    (made.root, made.path, made.identity) = (files.folder, [], open.identity)
    made.path = Array(MadeFiles.name(of: file.wholeKey, as: format).utf8)
    (made.format, made.coding) = (format.packets, .packets)
    return Made(file: made, open: open)
  }

  /// Makes a file, on the thread of its folder.
  private static func make(
    _ job: Job, _ name: String, _ number: Int, in files: MadeFiles
  ) -> Result<MediaFile, ItemFailure> {
    let progress = job.progress ?? LookProgress()
    // It may have been made since it was asked for.
    if let open = files.open(name) { return .success(open) }
    do {
      let open = try MediaFolder.open(bytes: job.file.path, in: job.file.root)
      guard open.identity.bytes == job.file.identity.bytes,
        open.identity.modified == job.file.identity.modified
      else { return .failure(ItemFailure("it has changed")) }
      let seconds = min(TrackConverter.secondsMax, job.file.seconds)
      let draft = try files.begin(
        name, UInt64(bounded: seconds * Double(job.format.bitrate) * 125), by: number)
      do {
        let converter = TrackConverter(to: job.format)
        let sound = try converter.convert(open, goesOn: { progress.step() }) {
          (bytes, place) throws(StorageError) in
          try files.write(bytes, at: place, to: draft)
        }
        guard sound != nil else { throw Self.ended }
        guard open.identityNow == open.identity else { throw ItemFailure("it has changed") }
      } catch {
        files.abandon(draft)
        throw error
      }
      try files.finish(draft)
      return files.open(name).map { .success($0) } ?? .failure(ItemFailure("what was made is gone"))
    } catch {
      return .failure(failure(error))
    }
  }

  private static func failure(_ error: any Error) -> ItemFailure {
    switch error {
    case let failure as ItemFailure: failure
    case let error as TrackSoundError: ItemFailure("it \(error)", isOfFile: error.isOfFile)
    case let error as StorageError: ItemFailure("it cannot be made to fit: \(error)")
    case let refusal as MediaFolder.Refusal: ItemFailure(refusal.words)
    case let failure as MakingFailure: ItemFailure(failure.reason)
    default: ItemFailure("it cannot be made to fit: \(error)")
    }
  }
}
