import Media
import Threads
import Timeshift

/// The body of an answer whose Ogg pages are made from a file while they are sent: where times are asked for.
final class MadePagesBody: HeardBody {
  private let files: FileLibrary
  private let hearing: OpenFiles.Hearing
  let path: String
  private let length: MediaTime
  private let reachesEnd: Bool
  private var pace: FilePace
  private var maker: MediaPages
  private var chunks: ArraySlice<MediaPages.Chunk> = []
  /// Bytes of the first chunk that have been sent.
  private var sent = 0
  private var isMaking = false
  private var isMade = false
  /// Media time of all chunks before the first one.
  private(set) var cursor = MediaTime.zero

  init(
    _ found: FoundFile, _ maker: MediaPages, from files: FileLibrary, burst: MediaTime, now: Int64
  ) {
    self.files = files
    self.maker = maker
    hearing = found.hearing
    path = found.request.path
    length = found.index?.duration ?? found.facts.media(at: found.file.bytes)
    pace = FilePace(burst: burst, now: now)
    let span = found.request.span
    reachesEnd =
      span?.repeats != true && span?.to.map { $0 >= found.index?.duration ?? .zero } ?? true
  }

  var isOut: Bool { chunks.isEmpty && isMade }

  var isHeardToEnd: Bool { isHeard(toEnd: reachesEnd, of: length) }

  func wantsShare(now: Int64) -> Bool { !pace.isPaced }

  func next(
    limit: Int, scratch: UnsafeMutableRawBufferPointer, isPrompt: Bool, now: Int64
  ) -> BodyStep {
    let owed = pace.owed(cursor, isPrompt: isPrompt, now: now)
    guard let chunk = chunks.first else { return isMade ? .out : .wait(until: now) }
    // A chunk that begins within what is owed goes out whole.
    guard sent > 0 || cursor <= owed else {
      pace.caughtUp(isPrompt: isPrompt)
      return .wait(until: FilePace.due(after: now))
    }
    return .bytes(scratch.holding(chunk.bytes[sent...].prefix(limit)))
  }

  func took(_ count: Int, isAll: Bool, now: Int64) {
    pace.isStalled = !isAll
    sent += count
    guard let chunk = chunks.first, sent == chunk.bytes.count else { return }
    cursor += chunk.length
    chunks.removeFirst()
    sent = 0
  }

  // MARK: Making

  /// The next chunk, and the maker of the one behind it; nil when the maker had no time.
  typealias News = (chunk: MediaPages.Chunk?, maker: MediaPages)?

  /// Has the next chunk made; at most two chunks are ahead.
  func takeErrand(now: Int64) -> (@Sendable () async -> News)? {
    guard !isMade, !isMaking, chunks.count < 2 else { return nil }
    isMaking = true
    let (maker, pages) = (maker, files.pages)
    return {
      await pages.value {
        var maker = maker
        // A file that cannot be read any more ends there.
        let chunk = (try? maker.next()) ?? nil
        return (chunk, maker)
      }
    }
  }

  func learn(_ news: News) {
    isMaking = false
    guard let news else { return }
    maker = news.maker
    if let chunk = news.chunk { chunks.append(chunk) } else { isMade = true }
  }
}
