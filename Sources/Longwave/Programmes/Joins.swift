import Audio
import Library

/// The join between the item that plays and the one that comes: which is wanted, and how far it is.
///
/// A value: the feed says what it wants and hears what to do, and the seam is made elsewhere. A seam that was asked for
/// before something changed is thrown away when it comes.
struct Joins {
  /// Where the item that plays is left.
  enum Place: Hashable, Sendable {
    case end
    /// Before its end, at a moment in milliseconds since 1970.
    case moment(Int64)
    /// As soon as possible, by a command; commands are numbered.
    case now(Int)
  }

  /// What makes a seam another one.
  struct Wish: Hashable, Sendable {
    /// Numbers of the items.
    var from: UInt64
    var to: Int64
    var file: MusicFile
    var join: SeamMaker.Join
    var place = Place.end
    /// Steps of `MPEGGain` for either item.
    var stepsFrom = 0
    var stepsTo = 0
  }

  enum State {
    case none
    case making(Wish)
    case made(Wish, Seam)
    case refused(Wish, String)
  }

  private(set) var state = State.none
  /// Of the newest seam that was asked for.
  private var number = 0
  /// Seams that were asked for to leave one item.
  private var asked = (from: UInt64(0), count: 0)

  /// More are a cut: the start of what comes may change what comes.
  static let askedMax = 12

  /// What is wanted; nil: a cut.
  var wish: Wish? {
    switch state {
    case .none: nil
    case .making(let wish), .made(let wish, _), .refused(let wish, _): wish
    }
  }

  var made: (wish: Wish, seam: Seam)? {
    if case .made(let wish, let seam) = state { (wish, seam) } else { nil }
  }

  /// Why there is no seam that is wanted, in words for people.
  var refusal: String? {
    switch state {
    case .none, .made: nil
    case .making: "its join was not ready in time"
    case .refused(_, let reason): reason
    }
  }

  /// Says what is wanted now.
  ///
  /// - Returns: the number of a seam that is to be made now; nil where there is none to be made, or it is made already.
  mutating func want(_ wish: Wish?) -> Int? {
    if wish == self.wish { return nil }
    // A level that is known by now is not worth the seam that is there: another one may come too late.
    if var wish, let made {
      wish.stepsTo = made.wish.stepsTo
      if wish == made.wish { return nil }
    }
    drop()
    guard let wish else { return nil }
    if asked.from != wish.from { asked = (wish.from, 0) }
    asked.count = min(asked.count + 1, Self.askedMax + 1)
    if asked.count > Self.askedMax {
      state = .refused(wish, "what comes next changed too often")
      return nil
    }
    state = .making(wish)
    return number
  }

  /// Takes a seam that was made, or why it was not; false: it is not wanted any more.
  ///
  /// - Parameter position: of the next byte of the item that plays. A seam that leaves it before is too late.
  mutating func take(
    _ outcome: Result<Seam, SeamJob.Refusal>, of number: Int, at position: UInt64
  ) -> Bool {
    guard number == self.number, case .making(let wish) = state else { return false }
    switch outcome {
    case .success(let seam) where seam.leave >= position: state = .made(wish, seam)
    case .success: state = .refused(wish, "its join was not ready in time")
    case .failure(let refusal): state = .refused(wish, refusal.reason)
    }
    return true
  }

  /// Forgets what was wanted.
  mutating func drop() {
    state = .none
    number &+= 1
  }
}
