import Timeshift
import Wire

/// Which of an upstream's titles are told: a title is a mark in the log, an event and a row for everybody who looks.
///
/// 64 of them at once and one more for each second of audio, as in a burst with a long past. Of more the newest waits:
/// what was on air for less than a second is told of to nobody.
struct TitlePace {
  /// One more for every so many seconds of audio.
  static let interval = 1.0

  private let atOnce: Double
  private var left: Double
  private var countedAt: MediaTime?
  private var waiting: Title?

  init(atOnce: Double = 64) { (self.atOnce, left) = (atOnce, atOnce) }

  /// A title begins at this place in the audio. False: it waits.
  mutating func admits(_ title: Title, at media: MediaTime) -> Bool {
    count(at: media)
    waiting = left < 1 ? title : nil
    if waiting == nil { left -= 1 }
    return waiting == nil
  }

  /// The title that has waited long enough, and still is the newest.
  mutating func due(at media: MediaTime) -> Title? {
    guard let waiting else { return nil }
    return admits(waiting, at: media) ? waiting : nil
  }

  /// Another one has come from elsewhere.
  mutating func forget() { waiting = nil }

  private mutating func count(at media: MediaTime) {
    let passed = countedAt.map { (media - $0).seconds } ?? 0
    countedAt = media
    left = min(atOnce, left + max(0, passed) / Self.interval)
  }
}
