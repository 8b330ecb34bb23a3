import Synchronization
import Wire

/// Counts of answers of HLS, over all loops. A playlist that is refused counts as the kind that its path names, whether
/// it would have been a delta or waited.
public final class HLSFigures: Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    case multivariant, media, delta, blocked, segment, `init`, clip

    /// The kind of a playlist; nil for a piece.
    init?(_ path: HLSPath) {
      switch path {
      case .multivariant: self = .multivariant
      case .media: self = .media
      case .clip: self = .clip
      case .piece: return nil
      }
    }
  }

  /// What was answered: how often, by kind and status.
  public struct Answer: Hashable, Sendable {
    public var kind: Kind
    public var status: Int

    public init(kind: Kind, status: Int) { (self.kind, self.status) = (kind, status) }
  }

  private let answers = Mutex<[Answer: Int]>([:])
  private let sent = Atomic<Int>(0)
  private let waits = Atomic<Int>(0)

  /// The statuses are the server's own, so they are few.
  public var counts: [Answer: Int] { answers.withLock { $0 } }
  /// Bytes of segments that were sent.
  public var bytes: Int { sent.load(ordering: .relaxed) }
  /// Requests that wait for a piece.
  public var waiting: Int { waits.load(ordering: .relaxed) }

  func count(_ kind: Kind, _ status: Int) {
    answers.withLock { $0[Answer(kind: kind, status: status), default: 0] += 1 }
  }

  func send(_ bytes: Int) { sent.add(bytes, ordering: .relaxed) }

  func wait(_ change: Int) { waits.add(change, ordering: .relaxed) }
}
