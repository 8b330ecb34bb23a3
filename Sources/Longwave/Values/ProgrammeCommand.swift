import Programmes
import Timeshift
import Wire

/// What people ask of a programme.
package enum ProgrammeCommand: Hashable, Sendable {
  /// A track that is queued.
  package enum Track: Hashable, Sendable {
    case key(TrackKey)
    /// A file's absolute path.
    case path(String)
    /// All tracks of a collection, in its order.
    case collection(String)

    package var text: String {
      switch self {
      case .key(let key): key.description
      case .path(let text), .collection(let text): text
      }
    }
  }

  /// Where in the queue.
  package enum Place: Hashable, Sendable {
    case next, end
    /// At the first border at or behind a moment.
    case at(WallTime)
  }

  case next
  case previous
  /// Takes out an item to come; of what plays it is `next`.
  case skip(item: Int64)
  case queue([Track], Place)
  case unqueue(Set<Int64>)
  case clear
  case reshuffle

  /// What was done, for the log.
  var words: String {
    switch self {
    case .next: "went on to its next item"
    case .previous: "went back to its previous item"
    case .skip(let item): "item \(item) was taken out"
    case .queue(let tracks, _):
      if case .collection(let name)? = tracks.first, tracks.count == 1 {
        "the collection \(name) was queued"
      } else {
        "\(tracks.count) tracks or collections were queued"
      }
    case .unqueue(let items): "\(items.count) items were taken out of the queue"
    case .clear: "its queue was emptied"
    case .reshuffle: "its music was shuffled anew"
    }
  }
}
