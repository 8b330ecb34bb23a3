/// Keeps the work on bytes that only look like pages in proportion to the bytes received.
///
/// Heads of 27 bytes that each claim a page of 64 KiB would cost 2,400 bytes of checksum for every byte sent. So a
/// wrong checksum is a debt that the bytes passed pay off; while the debt is too high, no page is looked for. A damaged
/// page costs its own length once, and passing it pays that length four times.
struct OggToil {
  /// The number of bytes of wrong checksums that one byte of the stream pays for.
  static let share = 4
  /// The debt above which the work is too much: eight of the longest pages.
  static let debtMax = 8 * OggPage.bytesMax

  private(set) var bytesInVain = 0
  private var debt = 0

  var isTooMuch: Bool { debt > Self.debtMax }

  mutating func failed(_ bytes: Int) {
    bytesInVain += bytes
    debt += bytes
  }

  mutating func passed(_ bytes: Int) { debt = max(0, debt - Self.share * bytes) }
}
