import Wire

/// A media playlist as a player has it that has loaded it again and again (RFC 8216bis §6.2.1, §6.2.2 and §6.3.7).
public struct PlaylistHistory: Sendable {
  private var list: ReadPlaylist?
  private var segments: [Int: ReadPlaylist.Segment] = [:]
  private var urls: [String: ReadPlaylist.Segment] = [:]
  private var ranges: [String: [String: String]] = [:]
  private var first = 0

  public init() {}

  /// Adds the playlist's next text.
  ///
  /// - Parameter lost: how many segments at the end a kill may have taken; they come again with another address.
  /// - Returns: What is wrong in it, and what is wrong about the change.
  public mutating func add(_ text: [UInt8], lost: Int = 0) -> [PlaylistRules.Violation] {
    var new = ReadPlaylist(text)
    if new.skipped > 0, let first = new.segments.first, let before = segments[first.number - 1] {
      new.countDiscontinuities(after: before.discontinuities)
    }
    var findings = PlaylistRules.Findings(found: PlaylistRules.violations(of: text))
    defer { keep(new) }
    guard let old = list else {
      findings.check(new.skipped == 0, .unmerged, "the first list leaves something out")
      return findings.found
    }
    let numbers = (
      old: old.number("EXT-X-MEDIA-SEQUENCE") ?? 0, new: new.number("EXT-X-MEDIA-SEQUENCE") ?? 0
    )
    findings.check(numbers.new >= numbers.old, .numberBack, "from \(numbers.old) to \(numbers.new)")
    let breaks = [old, new].map { $0.number("EXT-X-DISCONTINUITY-SEQUENCE") ?? 0 }
    findings.check(breaks[1] >= breaks[0], .discontinuityBack, "from \(breaks[0]) to \(breaks[1])")
    let targets = [old, new].map { $0.number("EXT-X-TARGETDURATION") ?? 0 }
    findings.check(targets[0] == targets[1], .targetChange, "from \(targets[0]) to \(targets[1])")
    let ends = [old, new].map { $0.segments.last?.number ?? 0 }
    findings.check(ends[1] >= ends[0] - lost, .numberBack, "the end from \(ends[0]) to \(ends[1])")
    if old.isFinished { findings.check(new.segments == old.segments, .changed, "a finished list") }
    if numbers.new > numbers.old, !new.isFinished, new.skipped == 0 {
      findings.check(
        new.length >= 3 * targets[1] * 100_000, .tooShort, "segments leave a list too early")
    }
    if new.skipped > 0 {
      let isKnown = (numbers.new..<numbers.new + new.skipped).allSatisfy { segments[$0] != nil }
      findings.check(isKnown, .unmerged, "what is left out was never listed")
    }
    for segment in new.segments {
      if segment.number < first, segments[segment.number] == nil {
        findings.check(
          false, .resurrected, "\(segment.number) had left the list, or was never in it")
      }
      findings.found += changes(of: segment, mayBeLost: segment.number > ends[0] - lost)
    }
    for range in new.dateRanges {
      if let before = range["ID"].flatMap({ ranges[$0] }) {
        findings.check(before == range, .rangeChanged, "\(before) became \(range)")
      }
    }
    return findings.found
  }

  private func changes(
    of segment: ReadPlaylist.Segment, mayBeLost: Bool
  ) -> [PlaylistRules.Violation] {
    var found: [PlaylistRules.Violation] = []
    if let before = segments[segment.number], !mayBeLost, !Self.equal(before, segment) {
      found.append(.init(rule: .changed, text: "\(before) became \(segment)"))
    }
    if let before = urls[segment.url],
      before.number != segment.number || !Self.equal(before, segment)
    {
      found.append(.init(rule: .renamed, text: "\(before) became \(segment)"))
    }
    return found
  }

  /// Dates that follow from others are rounded with the lengths.
  private static func equal(_ one: ReadPlaylist.Segment, _ other: ReadPlaylist.Segment) -> Bool {
    let isSameTime: Bool
    switch (one.date, other.date) {
    case (let one?, let other?): isSameTime = (one - other).magnitude <= 2_000_000
    default: isSameTime = true
    }
    // A list of what is newer need not tell the map again.
    let isSameMap = one.map == nil || other.map == nil || one.map == other.map
    return isSameTime && isSameMap && one.url == other.url && one.length == other.length
      && one.isGap == other.isGap && one.discontinuities == other.discontinuities
  }

  private mutating func keep(_ new: ReadPlaylist) {
    for segment in new.segments {
      segments[segment.number] = segment
      urls[segment.url] = segment
    }
    for range in new.dateRanges { if let id = range["ID"] { ranges[id] = range } }
    first = max(first, new.number("EXT-X-MEDIA-SEQUENCE") ?? 0)
    list = new
  }
}

extension PlaylistRules {
  /// What is wrong with playlists of one programme in several qualities, all loaded at once: they may differ in their
  /// addresses and gaps only.
  public static func violations(ofVariants texts: [[UInt8]]) -> [Violation] {
    let lists = texts.map { ReadPlaylist($0) }
    guard let first = lists.first else { return [] }
    let known = Dictionary(first.segments.map { ($0.number, $0) }) { first, _ in first }
    var findings = Findings()
    func check(_ isEqual: Bool, _ text: String) { findings.check(isEqual, .unequal, text) }
    for list in lists.dropFirst() {
      check(
        list.number("EXT-X-TARGETDURATION") == first.number("EXT-X-TARGETDURATION"),
        "the target")
      for segment in list.segments {
        guard let other = known[segment.number] else { continue }
        check(segment.length == other.length, "the length of \(segment.number)")
        check(
          segment.discontinuities == other.discontinuities, "discontinuities at \(other.number)")
        if let one = segment.date, let date = other.date {
          check((one - date).magnitude <= 2_000_000, "the date of \(segment.number)")
        }
      }
      check(list.dateRanges == first.dateRanges, "titles")
    }
    return findings.found
  }
}
