import Synchronization
import Timeshift
import Wire

/// Opens files and reads them for the loops, on threads that may block: one finds, one makes indexes, which takes
/// long, and one reads ahead, so that nobody who listens waits for the others.
final class FileLibrary: Sendable {
  let finder = WorkThread("files.find", tasksMax: 4096)
  private let indexer = WorkThread("files.index", tasksMax: 1024)
  private let reader = WorkThread("files.read", tasksMax: 4096)
  private let cache: Mutex<FileCache>

  /// Indexes of 500 hours.
  static let cacheBytes = 32 << 20

  init(cacheBytes: Int = FileLibrary.cacheBytes) {
    cache = Mutex(FileCache(bytesMax: cacheBytes))
  }

  /// Blocks until nothing is being done any more.
  func stop() {
    finder.stop()
    indexer.stop()
    reader.stop()
  }

  // MARK: Finding

  /// What is wanted, opened and understood; or why not.
  func find(_ request: FileRequest, in source: FileSource) async -> FoundFile.Answer {
    guard let opened = await finder.value(of: { self.open(request, in: source) }) else {
      return .unavailable("the server opens too many files; ask again")
    }
    let (file, facts): (MediaFile, MediaFacts)
    switch opened {
    case .success(let found): (file, facts) = found
    case .failure(let refusal): return refusal.answer
    }
    guard let span = request.span else {
      let index = cache.withLock { $0.index(file.identity) }
      return .found(FoundFile(file: file, facts: facts, index: index, request: request))
    }
    guard let index = await index(of: file) else {
      return .unavailable("the file cannot be read; ask again")
    }
    let found = await finder.value { self.cut(span, file, facts, index, request) }
    return found ?? .unavailable("the server reads too many files; ask again")
  }

  private struct Refused: Error {
    var answer: FoundFile.Answer
  }

  private func open(
    _ request: FileRequest, in source: FileSource
  ) -> Result<(MediaFile, MediaFacts), Refused> {
    do throws(MediaFolder.Refusal) {
      let file = try MediaFolder.open(request.path, in: source.root)
      guard let facts = facts(of: file) else {
        return .failure(Refused(answer: .missing("there is no audio in it that we know")))
      }
      return .success((cache.withLock { $0.shared(file) }, facts))
    } catch {
      let answer: FoundFile.Answer =
        switch error {
        case .notFound: .missing("there is no such file")
        case .isFolder: .isFolder
        case .rootMissing: .unavailable("the station's files are not there")
        case .busy: .unavailable("too many files are open; ask again")
        }
      return .failure(Refused(answer: answer))
    }
  }

  /// Blocks.
  private func facts(of file: MediaFile) -> MediaFacts? {
    switch cache.withLock({ $0.look(file.identity) }) {
    case .audio(let facts): return facts
    case .noAudio: return nil
    case .none: break
    }
    do throws(StorageError) {
      let facts = try file.facts()
      cache.withLock { $0.set(facts, of: file.identity) }
      return facts
    } catch {
      // It may be read the next time.
      return nil
    }
  }

  private func cut(
    _ span: FileRequest.Span, _ file: MediaFile, _ facts: MediaFacts, _ index: MediaIndex,
    _ request: FileRequest
  ) -> FoundFile.Answer {
    var found = FoundFile(file: file, facts: facts, index: index, request: request)
    if span.from >= index.duration {
      let length = DurationText.format(index.duration.seconds)
      return .refused(field: span.fromField, "the file lasts \(length)")
    }
    do throws(StorageError) {
      if facts.format.codec.isOgg {
        found.pages = MediaPages(
          file, index, from: span.from, to: span.to, repeats: span.repeats,
          serial: UInt32.random(in: 0 ... .max))
      } else {
        found.region = try file.region(from: span.from, to: span.to, in: index)
      }
    } catch {
      return .unavailable("the file cannot be read; ask again")
    }
    guard found.pages != nil || found.region != nil else {
      return .refused(field: span.to == nil ? span.fromField : "to", "no packet begins there")
    }
    return .found(found)
  }

  // MARK: Indexes

  /// Its index, made now if need be, once however many ask. nil: it cannot be read.
  func index(of file: MediaFile) async -> MediaIndex? {
    await withCheckedContinuation { continuation in
      let isFirst: Bool? = cache.withLock { cache in
        if let index = cache.index(file.identity) {
          continuation.resume(returning: index)
          return nil
        }
        cache.makers[file.identity, default: []].append(continuation)
        return cache.makers[file.identity]?.count == 1
      }
      guard isFirst == true else { return }
      if !indexer.run({ self.makeIndex(of: file) }) { hand(nil, of: file) }
    }
  }

  private func makeIndex(of file: MediaFile) {
    hand((try? file.makeIndex()) ?? nil, of: file)
  }

  private func hand(_ index: MediaIndex?, of file: MediaFile) {
    let waiting = cache.withLock { cache in
      if let index { cache.set(index, of: file.identity) }
      return cache.makers.removeValue(forKey: file.identity) ?? []
    }
    for continuation in waiting { continuation.resume(returning: index) }
  }

  // MARK: Reading ahead

  func fetch(_ wanted: FileFetch) {
    if !reader.run({ wanted.fetch() }) { wanted.fail() }
  }

  // MARK: Listing

  /// The files of a mount, in order of their paths; nil: the folder is not there.
  func list(_ source: FileSource) async -> [FileEntry]? {
    let entries = await finder.value {
      try? MediaFolder.list(source.root) { Self.codec(ofName: $0) != nil }
    }
    guard case let entries?? = entries else { return nil }
    return cache.withLock { cache in
      entries.map { entry in
        let known = cache.peek(entry.identity)
        let byName = Self.codec(ofName: entry.path.isEmpty ? source.root : entry.path)
        return FileEntry(
          path: entry.path, bytes: entry.identity.bytes, seconds: known.index?.duration.seconds,
          mediaType: (known.facts?.format.codec ?? byName)?.mediaType ?? "application/octet-stream",
          modified: WallTime(stored: entry.identity.modified))
      }
    }
  }

  /// What files of such names mostly are. FLAC is known in Ogg only.
  private static func codec(ofName name: String) -> Codec? {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    let ending = String(Substring(name.utf8[dot...].dropFirst())).lowercased()
    if ending == "flac" { return nil }
    return Codec.allCases.first { $0.pathEndings.contains(ending) }
  }
}

/// A piece of a file that is wanted in the page cache.
final class FileFetch: Sendable {
  enum State: Int { case waiting, done, failed }

  let file: MediaFile
  let range: Range<UInt64>
  private let progress = Atomic<Int>(0)

  init(_ file: MediaFile, _ range: Range<UInt64>) {
    self.file = file
    self.range = range
  }

  var state: State { State(rawValue: progress.load(ordering: .acquiring))! }

  /// Blocks.
  func fetch() {
    let isDone = file.fetch(at: range.lowerBound, count: range.count)
    progress.store((isDone ? State.done : .failed).rawValue, ordering: .releasing)
  }

  /// Nobody can do it now: whoever wants it asks again.
  func fail() { progress.store(State.done.rawValue, ordering: .releasing) }
}

/// A file that is there, and what of it is to be sent.
struct FoundFile: Sendable {
  var file: MediaFile
  var facts: MediaFacts
  /// nil: nobody has counted its packets yet.
  var index: MediaIndex?
  var request: FileRequest
  /// Of frames, where times are asked for.
  var region: MediaRegion?
  /// The same in Ogg.
  var pages: MediaPages?

  enum Answer: Sendable {
    case found(FoundFile)
    case missing(String)
    case isFolder
    case unavailable(String)
    case refused(field: String, String)
  }
}
