extension MediaPlaylist {
  /// Returns the playlist's text in UTF-8, equal for equal values.
  ///
  /// A list that has nothing to leave out is written whole.
  public func text(_ extent: Extent = .whole) -> [UInt8] {
    var writer = Writer(self, extent)
    writer.head()
    writer.titles()
    for piece in pieces[writer.skipped...] { writer.add(piece) }
    if kind == .finished { writer.text.append("#EXT-X-ENDLIST\n") }
    return writer.text
  }

  /// Writes one list; numbers of seconds come from whole numbers only.
  private struct Writer {
    let list: MediaPlaylist
    let extent: Extent
    let skipped: Int
    var text: [UInt8] = []
    private let seal: [UInt8]
    /// The discontinuities up to the piece that was written last.
    private var discontinuities: UInt64
    /// The initialisation in force; nil before the first.
    private var map: PieceName?
    /// The date written last in nanoseconds, and the flicks since; nil before the first.
    private var told: (date: Int64, since: Int64)?

    init(_ list: MediaPlaylist, _ extent: Extent) {
      self.list = list
      skipped = extent == .whole ? 0 : list.skipped
      self.extent = skipped == 0 ? .whole : extent
      seal = list.seal.map { Array($0.text.utf8) } ?? []
      discontinuities = list.discontinuities.saturatingAdd(
        UInt64(list.pieces[..<skipped].count { $0.isDiscontinuous }))
      // A name, its length and its tags.
      text.reserveCapacity(512 + (list.pieces.count - skipped) * (64 + seal.count))
    }

    // MARK: What is told once

    mutating func head() {
      text.append("#EXTM3U\n#EXT-X-VERSION:")
      text.append(decimal: version)
      text.append("\n#EXT-X-TARGETDURATION:")
      text.append(decimal: target)
      if case .live(let isSkippable) = list.kind { serverControl(isSkippable) }
      text.append("\n#EXT-X-INDEPENDENT-SEGMENTS\n#EXT-X-MEDIA-SEQUENCE:")
      text.append(decimal: list.number)
      text.append("\n#EXT-X-DISCONTINUITY-SEQUENCE:")
      text.append(decimal: list.discontinuities)
      text.append("\n")
      if list.kind == .finished { text.append("#EXT-X-PLAYLIST-TYPE:VOD\n") }
      if let start = list.start {
        let milliseconds = HLSTime.milliseconds(start)
        text.append("#EXT-X-START:TIME-OFFSET=")
        if milliseconds < 0 { text.append("-") }
        append(milliseconds.magnitude, decimals: 3)
        text.append(",PRECISE=YES\n")
      }
      if skipped > 0 { skip() }
    }

    private var target: UInt64 { UInt64(max(1, list.target)) }

    /// The lowest version whose players know all tags (RFC 8216bis §8).
    private var version: UInt64 {
      switch list.kind {
      case .live: extent == .newerWithTitles ? 10 : 9
      case .finished: list.pieces.contains { $0.name.ending == .m4s } ? 7 : 6
      }
    }

    private mutating func serverControl(_ isSkippable: Bool) {
      text.append("\n#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,")
      if isSkippable {
        text.append("CAN-SKIP-UNTIL=")
        append(target.saturatingMultiply(UInt64(10 * MediaPlaylist.skipTargets)), decimals: 1)
        text.append(",CAN-SKIP-DATERANGES=YES,")
      }
      text.append("HOLD-BACK=")
      append(target.saturatingMultiply(UInt64(10 * MediaPlaylist.holdBackTargets)), decimals: 1)
    }

    private mutating func skip() {
      text.append("#EXT-X-SKIP:SKIPPED-SEGMENTS=")
      text.append(decimal: UInt64(skipped))
      if extent == .newerWithTitles {
        text.append(",RECENTLY-REMOVED-DATERANGES=\"")
        for (place, id) in list.removed.enumerated() {
          if place > 0 { text.append("\t") }
          text.append("t")
          text.append(decimal: id)
        }
        text.append("\"")
      }
      text.append("\n")
    }

    // MARK: Titles

    mutating func titles() {
      // A title that was listed before the first segment that is left is known to who asks.
      let known = extent == .newerWithTitles ? list.pieces[skipped].date : .min
      for mark in list.marks where mark.listed >= known { add(mark) }
    }

    private mutating func add(_ mark: Mark) {
      text.append("#EXT-X-DATERANGE:ID=\"t")
      text.append(decimal: mark.id)
      text.append("\",CLASS=\"title\",START-DATE=\"")
      text += TimestampText.rfc3339(mark.date).utf8
      text.append("\",END-ON-NEXT=YES,X-TITLE=")
      append(quoted: mark.title.title)
      if let artist = mark.title.artist {
        text.append(",X-ARTIST=")
        append(quoted: artist)
      }
      if let url = mark.title.url {
        text.append(",X-URL=")
        append(quoted: url)
      }
      if let artwork = mark.title.artwork {
        text.append(",X-ARTWORK=")
        append(quoted: artwork)
      }
      text.append("\n")
    }

    /// A text in quotes has no escapes, so it can have no quotation mark.
    private mutating func append(quoted: String) {
      text.append("\"")
      MediaPlaylist.quotes.append(quoted, to: &text) { _, text in
        text.append(UInt8(ascii: "'"))
        return 1
      }
      text.append("\"")
    }

    // MARK: Segments

    mutating func add(_ piece: Piece) {
      if piece.isDiscontinuous {
        discontinuities = discontinuities.saturatingAdd(1)
        text.append("#EXT-X-DISCONTINUITY\n")
      }
      if piece.name.ending == .m4s { map(of: piece) }
      dates(piece)
      if piece.isGap { text.append("#EXT-X-GAP\n") }
      text.append("#EXTINF:")
      // Of both borders, so that rounding never adds up.
      let length = HLSTime.hundredThousandths(piece.time.upperBound)
        .saturatingSubtract(HLSTime.hundredThousandths(piece.time.lowerBound))
      append(UInt64(max(0, length)), decimals: 5)
      text.append(",\n")
      text += seal
      piece.name.append(to: &text)
      text.append("\n")
    }

    private mutating func map(of piece: Piece) {
      let map = piece.name.initialisation(discontinuities)
      if map == self.map { return }
      self.map = map
      text.append("#EXT-X-MAP:URI=\"")
      text += seal
      map.append(to: &text)
      text.append("\"\n")
    }

    /// Writes when the piece is on air, where that does not follow from the date written last.
    private mutating func dates(_ piece: Piece) {
      let length = piece.time.upperBound.saturatingSubtract(piece.time.lowerBound)
      if let told {
        let next = told.date.saturatingAdd(HLSTime.nanoseconds(told.since))
        if piece.date.saturatingSubtract(next).magnitude <= MediaPlaylist.dateError {
          self.told = (told.date, told.since.saturatingAdd(length))
          return
        }
      }
      told = (piece.date, length)
      text.append("#EXT-X-PROGRAM-DATE-TIME:")
      text += TimestampText.rfc3339(piece.date).utf8
      text.append("\n")
    }

    /// Appends a number whose last digits are decimals.
    private mutating func append(_ number: UInt64, decimals: Int) {
      let unit = MediaPlaylist.units[decimals]
      text.append(decimal: number / unit)
      text.append(".")
      text.append(decimal: number % unit, width: decimals)
    }
  }

  /// The nanoseconds by which a date may be off: dates are written in milliseconds.
  private static let dateError: UInt64 = 1_000_000
  private static let units: [UInt64] = [1, 10, 100, 1000, 10_000, 100_000]
  private static let quotes = TextRuns { $0 == UInt8(ascii: "\"") }
}
