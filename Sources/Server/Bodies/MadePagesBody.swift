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
  private var pieces: PacedPieces
  private var maker: MediaPages
  private var isMaking = false

  init(
    _ found: FoundFile, _ maker: MediaPages, from files: FileLibrary, burst: MediaTime, now: Int64
  ) {
    self.files = files
    self.maker = maker
    hearing = found.hearing
    path = found.request.path
    length = found.index?.duration ?? found.facts.media(at: found.file.bytes)
    pieces = PacedPieces(burst: burst, lookInterval: TickPlan.placedNanoseconds, now: now)
    let span = found.request.span
    reachesEnd =
      span?.repeats != true && span?.to.map { $0 >= found.index?.duration ?? .zero } ?? true
  }

  var cursor: MediaTime { pieces.cursor }
  var isOut: Bool { pieces.isOut }

  var isHeardToEnd: Bool { isHeard(toEnd: reachesEnd, of: length) }

  func wantsShare(now: Int64) -> Bool { !pieces.isPaced }

  func next(
    limit: Int, scratch: UnsafeMutableRawBufferPointer, isPrompt: Bool, now: Int64
  ) -> BodyStep {
    pieces.next(limit: limit, scratch: scratch, isPrompt: isPrompt, now: now)
  }

  func took(_ count: Int, isAll: Bool, now: Int64) { pieces.took(count, isAll: isAll) }

  // MARK: Making

  /// The next chunk, and the maker of the one behind it; nil when the maker had no time.
  typealias News = (chunk: MediaPages.Chunk?, maker: MediaPages)?

  /// Has the next chunk made; at most two chunks are ahead.
  func nextErrand(now: Int64) -> (@Sendable () async -> News)? {
    guard !pieces.isMade, !isMaking, pieces.count < 2 else { return nil }
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
    guard let chunk = news.chunk else {
      pieces.isMade = true
      return
    }
    pieces.append(chunk.bytes, chunk.length)
  }
}
