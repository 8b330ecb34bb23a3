import Media
import Reactor
import Synchronization
import Threads
import Timeshift
import Wire

/// Opens files and reads them for the loops, on threads that may block, so that listeners do not wait for each other's
/// work. One thread finds, two list and one lists for the administration, two make indexes, which takes long, one makes
/// pages of Ogg, and one reads ahead.
final class FileLibrary: Sendable {
  private let finder = WorkThread("files.find", tasksMax: 4096)
  let pages = WorkThread("files.pages", tasksMax: 4096)
  let indexer = WorkThread("files.index", tasksMax: 64)
  /// Makes indexes of long files, behind which short ones need not wait.
  private let longIndexer = WorkThread("files.index2", tasksMax: 64)
  private let reader = WorkThread("files.read", tasksMax: 4096)
  let lists = FileLists()
  private let cache: Mutex<FileCache>
  private let openFiles: OpenFiles
  private let passes = Mutex(IndexPasses())
  private let lastWaiting = Atomic<UInt64>(0)
  private let passesBegun = Atomic<Int>(0)
  private let hidden = Mutex<PrivateFolder?>(nil)

  /// A larger file is long: an hour at 128 kbit/s is 58 MB.
  private static let longBytes: UInt64 = 128 << 20

  /// Room for indexes of 500 hours, in bytes.
  static let cacheBytes = 32 << 20

  init(
    cacheBytes: Int = FileLibrary.cacheBytes,
    openMax: Int = FileSource.openMax(ofOpenFiles: Limits.raiseOpenFiles())
  ) {
    cache = Mutex(FileCache(bytesMax: cacheBytes))
    openFiles = OpenFiles(max: openMax)
  }

  /// Stops the threads that work on files, and blocks until nothing is being done on them any more.
  func stop() {
    for thread in [finder, pages, indexer, longIndexer, reader] { thread.stop() }
  }

  /// Sets the folder that no file may come from, wherever a station's folder is.
  func hide(_ folder: PrivateFolder?) { hidden.withLock { $0 = folder } }

  private var hiddenFolder: PrivateFolder? { hidden.withLock { $0 } }

  /// How many files are open for listeners, and how many may be.
  var openFigures: (now: Int, max: Int) { openFiles.figures }

  /// Whether only few more files can be opened.
  var isCrowded: Bool { openFiles.isCrowded }

  /// How often a file was read for its index.
  var passesMade: Int { passesBegun.load(ordering: .relaxed) }

  // MARK: Finding

  /// Returns the file that is wanted, opened and understood; or why not.
  ///
  /// - Parameters:
  ///   - customer: address that asks; nil for one that is not counted.
  ///   - isHeard: whether the file is to be sent, not only looked at.
  func find(
    _ request: FileRequest, in source: FileSource, for customer: AddressBlock?,
    isHeard: Bool = true
  ) async -> FoundFile.Answer {
    let opened = await finder.value {
      self.open(request, in: source, for: isHeard ? customer : nil)
    }
    guard let opened else {
      return .busy("the server opens too many files; ask again")
    }
    var found: FoundFile
    switch opened {
    case .success(let opened): found = opened
    case .failure(let refusal): return refusal.answer
    }
    guard let span = request.span else {
      found.index = cache.withLock { $0.index(found.file.identity) }
      return .found(found)
    }
    let index: MediaIndex
    switch await self.index(of: found.file, for: customer) {
    case .index(let made): index = made
    case let other: return other.refusal
    }
    let cut = await finder.value { [found] in self.cut(span, of: found, index) }
    return cut ?? .busy("the server reads too many files; ask again")
  }

  /// Returns a file that the relay has named; or why not.
  ///
  /// - Parameters:
  ///   - customer: see `find`.
  ///   - isHeard: see `find`.
  func find(
    _ order: FileOrder, for customer: AddressBlock?, isHeard: Bool
  ) async -> FoundFile.Answer {
    let source = FileSource(root: order.folder, throttleBypass: FileOrder.unpaced)
    for name in order.names {
      let opened = await finder.value {
        self.open(
          FileRequest(path: name), bytes: order.path, in: source, isOwn: true,
          for: isHeard ? customer : nil)
      }
      switch opened {
      case .success(var found):
        let identity = found.file.identity
        if let left = order.left, left.bytes != identity.bytes || left.modified != identity.modified
        {
          return .missing("the file is not any more what was recorded")
        }
        (found.order, found.bytesMax) = (order, order.bytesMax)
        found.index = cache.withLock { $0.index(found.file.identity) }
        return .found(found)
      case .failure(let refusal):
        if case .missing = refusal.answer, name != order.names.last { continue }
        return refusal.answer
      case nil: return .busy("the server opens too many files; ask again")
      }
    }
    return .missing("there is no such file")
  }

  private struct Refused: Error {
    var answer: FoundFile.Answer
  }

  /// - Parameters:
  ///   - bytes: the path, where it need be no text.
  ///   - isOwn: whether the relay has named the file, which then may be in its own folder.
  private func open(
    _ request: FileRequest, bytes: [UInt8]? = nil, in source: FileSource, isOwn: Bool = false,
    for customer: AddressBlock?
  ) -> Result<FoundFile, Refused> {
    do throws(MediaFolder.Refusal) {
      let hidden = isOwn ? nil : hiddenFolder
      let file =
        if let bytes {
          try MediaFolder.open(bytes: bytes, in: source.root)
        } else {
          try MediaFolder.open(request.path, in: source.root, hidden: hidden)
        }
      guard let facts = facts(of: file) else {
        return .failure(Refused(answer: .missing("the file has no audio of a known format")))
      }
      let shared = cache.withLock { $0.shared(file) }
      let hearing: OpenFiles.Hearing
      do throws(OpenFiles.Refusal) {
        hearing = try openFiles.hear(shared, for: customer)
      } catch {
        return .failure(Refused(answer: error.answer))
      }
      return .success(
        FoundFile(file: shared, hearing: hearing, facts: facts, request: request))
    } catch {
      let answer: FoundFile.Answer =
        switch error {
        case .notFound: .missing("there is no such file")
        case .isFolder: .isFolder
        case .rootMissing: .unavailable("the station's files are not there")
        case .busy: .busy("too many files are open; ask again")
        }
      return .failure(Refused(answer: answer))
    }
  }

  /// Returns what a file is; nil without audio that is known. Blocks.
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
      // The file may be read the next time.
      return nil
    }
  }

  private func cut(
    _ span: FileRequest.Span, of found: FoundFile, _ index: MediaIndex
  ) -> FoundFile.Answer {
    var found = found
    found.index = index
    if span.from >= index.duration {
      let length = DurationText.format(index.duration.seconds)
      return .refused(field: span.fromField, "the file lasts \(length)")
    }
    do throws(StorageError) {
      if found.facts.format.codec.isOgg {
        found.pages = MediaPages(
          found.file, index, from: span.from, to: span.to, repeats: span.repeats,
          serial: UInt32.random(in: 0 ... .max))
      } else {
        found.region = try found.file.region(from: span.from, to: span.to, in: index)
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

  enum IndexAnswer: Sendable {
    case index(MediaIndex)
    case unreadable
    /// Too much is being read: in all, or for this address.
    case busy, tooMany
  }

  /// Returns a file's index. It is made now if need be, once however many ask, and only while one of them still waits.
  func index(of file: MediaFile, for customer: AddressBlock?) async -> IndexAnswer {
    if let index = cache.withLock({ $0.index(file.identity) }) { return .index(index) }
    let number = lastWaiting.add(1, ordering: .relaxed).newValue
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let begun = passes.withLock {
          $0.wait(number, for: file.identity, from: customer, continuation)
        }
        switch begun {
        case .joined: break
        case .tooMany: return continuation.resume(returning: .tooMany)
        case .first:
          let thread = file.bytes > Self.longBytes ? longIndexer : indexer
          if !thread.run({ self.makeIndex(of: file) }) { hand(.busy, of: file) }
        }
        // For a caller that was cancelled before there was anything to leave.
        if Task.isCancelled { leave(number, file) }
      }
    } onCancel: {
      leave(number, file)
    }
  }

  private func leave(_ number: UInt64, _ file: MediaFile) {
    passes.withLock { $0.leave(number, file.identity) }?.resume(returning: .busy)
  }

  private func makeIndex(of file: MediaFile) {
    var isGivenUp = false
    func isWanted() -> Bool {
      isGivenUp = isGivenUp || passes.withLock { $0.giveUp(file.identity) }
      return !isGivenUp
    }
    guard isWanted() else { return }
    // Another pass may have made the index meanwhile.
    if let index = cache.withLock({ $0.index(file.identity) }) {
      return hand(.index(index), of: file)
    }
    passesBegun.add(1, ordering: .relaxed)
    let made = try? file.makeIndex(while: isWanted)
    if isGivenUp { return }
    hand(made.flatMap { $0 }.map { .index($0) } ?? .unreadable, of: file)
  }

  private func hand(_ answer: IndexAnswer, of file: MediaFile) {
    if case .index(let index) = answer { cache.withLock { $0.set(index, of: file.identity) } }
    for continuation in passes.withLock({ $0.end(file.identity) }) {
      continuation.resume(returning: answer)
    }
  }

  // MARK: Reading ahead

  func fetch(_ wanted: FileFetch) {
    if !reader.run({ wanted.fetch() }) { wanted.giveUp() }
  }

  // MARK: Listing

  /// Returns the files of a mount, in order of their paths.
  func list(_ source: FileSource, for customer: AddressBlock?) async -> FileLists.Answer {
    await lists.list(source.root, for: customer) { self.read(source) }
  }

  /// Reads the files of a mount. Blocks.
  private func read(_ source: FileSource) -> [FileEntry]? {
    let entries = try? MediaFolder.list(source.root, hidden: hiddenFolder) {
      Self.codec(ofName: $0) != nil
    }
    return entries?.map { entry in
      let known = cache.withLock { $0.peek(entry.identity) }
      let byName = Self.codec(ofName: entry.path.isEmpty ? source.root : entry.path)
      return FileEntry(
        path: entry.path, bytes: entry.identity.bytes, seconds: known.index?.duration.seconds,
        mediaType: (known.facts?.format.codec ?? byName)?.mediaType ?? "application/octet-stream",
        modified: WallTime(stored: entry.identity.modified))
    }
  }

  /// Returns the codec that files of such names mostly have. FLAC is known in Ogg only.
  private static func codec(ofName name: String) -> Codec? {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    let ending = String(Substring(name.utf8[dot...].dropFirst())).lowercased()
    if ending == "flac" { return nil }
    return Codec.allCases.first { $0.pathEndings.contains(ending) }
  }
}
