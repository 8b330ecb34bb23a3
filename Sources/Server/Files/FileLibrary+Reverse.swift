import Media
import Synchronization
import Threads
import Timeshift
import Wire

// Files that are played backwards: their packets in blocks, the last block first.
extension FileLibrary {
  /// Why a file is not played backwards.
  enum ReverseRefusal: Error {
    case file(FoundFile.Answer)
    case sound(SampleRefusal)
  }

  /// Finds the file that is wanted, and orders it backwards.
  ///
  /// - Parameters:
  ///   - customer: see `find`.
  ///   - isHeard: see `find`.
  func reverseOrder(
    _ request: FileRequest, in source: FileSource, of station: String,
    for customer: AddressBlock?, isHeard: Bool
  ) async throws(ReverseRefusal) -> ReverseOrder {
    let answer = await find(request, in: source, for: customer, isHeard: isHeard)
    guard case .found(let found) = answer else { throw .file(answer) }
    let index: MediaIndex
    switch await self.index(of: found.file, for: customer) {
    case .index(let made): index = made
    case let other: throw .file(other.refusal)
    }
    let bytes = Double(index.end - min(index.end, found.facts.start))
    let span = found.request.span
    let blocks = SharedBlocks(
      MediaBlocks(found.file, index, from: span?.from ?? .zero, to: span?.to))
    return ReverseOrder(
      station: station, format: found.facts.format,
      bitrate: bytes / 125 / max(index.duration.seconds, 0.001),
      isCutShort: { blocks.isCutShort }, packets: packetsBackwards(of: found, blocks))
  }

  /// Returns what reads a block each time it is called.
  private func packetsBackwards(
    of found: FoundFile, _ blocks: SharedBlocks
  ) -> @Sendable () async -> PacketRun? {
    let pages = pages
    return {
      // The file stays counted for its listener.
      defer { withExtendedLifetime(found.hearing) {} }
      while !Task.isCancelled {
        // Without an answer the thread has too much to do.
        if let run = await pages.value(of: { blocks.next() }) { return run }
        try? await Task.sleep(for: .milliseconds(20))
      }
      return nil
    }
  }

  /// Blocks of a file, for one thread at a time.
  private final class SharedBlocks: Sendable {
    private let blocks: Mutex<MediaBlocks>

    init(_ blocks: MediaBlocks) { self.blocks = Mutex(blocks) }

    /// Returns the next block. A file that cannot be read any more ends there. Blocks.
    func next() -> PacketRun? { blocks.withLock { (try? $0.next()) ?? nil } }

    /// Whether the file has ended before its beginning.
    var isCutShort: Bool { blocks.withLock { !$0.isOver } }
  }
}

extension FileLibrary.IndexAnswer {
  /// The answer where times are asked for and there is no index.
  var refusal: FoundFile.Answer {
    switch self {
    case .index, .unreadable: .unavailable("the file cannot be read; ask again")
    case .busy: .busy("the server reads too many files; ask again")
    case .tooMany: .tooMany("your address has asked for times in too many files; ask again")
    }
  }
}
