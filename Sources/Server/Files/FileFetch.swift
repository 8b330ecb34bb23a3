import Media
import Synchronization

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

  /// Brings the piece into the page cache. Blocks.
  func fetch() {
    let isDone = file.fetch(at: range.lowerBound, count: range.count)
    progress.store((isDone ? State.done : .failed).rawValue, ordering: .releasing)
  }

  /// Gives up, since the thread has too much to do: a body that wants the piece asks again.
  func giveUp() { progress.store(State.done.rawValue, ordering: .releasing) }
}
