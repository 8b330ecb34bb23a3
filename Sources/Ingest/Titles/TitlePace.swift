import Timeshift
import Wire

/// Limits which of an upstream's titles are reported: a title is a mark in the log, an event and a row for every
/// client.
///
/// 64 titles pass at once, as in a burst with a long past, and one more for each second of audio. Of further ones the
/// newest waits: titles on air for less than a second are not reported.
struct TitlePace {
  /// The seconds of audio after which one more title passes.
  static let interval = 1.0

  private let atOnce: Double
  private var left: Double
  private var countedAt: MediaTime?
  private var waiting: Title?

  init(atOnce: Double = 64) { (self.atOnce, left) = (atOnce, atOnce) }

  /// Whether a title that begins at this place in the audio passes; false: it waits.
  mutating func admits(_ title: Title, at media: MediaTime) -> Bool {
    count(at: media)
    waiting = left < 1 ? title : nil
    if waiting == nil { left -= 1 }
    return waiting == nil
  }

  /// The waiting title, once it has waited long enough and still is the newest.
  mutating func due(at media: MediaTime) -> Title? {
    guard let waiting else { return nil }
    return admits(waiting, at: media) ? waiting : nil
  }

  /// Drops the waiting title, since another one came from elsewhere.
  mutating func forget() { waiting = nil }

  private mutating func count(at media: MediaTime) {
    let passed = countedAt.map { (media - $0).seconds } ?? 0
    countedAt = media
    left = min(atOnce, left + max(0, passed) / Self.interval)
  }
}
