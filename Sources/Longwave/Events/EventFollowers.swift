import Server
import Synchronization

/// Those who are told of each event as it is posted, with the id that watchers see.
///
/// Events that several threads post at once may come in another order than their ids have.
final class EventFollowers: Sendable {
  /// Called on the thread that posts: it must not wait.
  typealias Follower = @Sendable (EventRing.Event) -> Void

  private let all = Mutex<[Follower]>([])

  func set(_ followers: [Follower]) { all.withLock { $0 = followers } }

  func post(_ event: EventRing.Event) {
    for follower in all.withLock(\.self) { follower(event) }
  }
}
