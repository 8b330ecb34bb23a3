import Wire

/// Packets of a rendition that follow each other as they are heard in its original.
private struct RenditionRun {
  /// Media times of the rendition.
  var own: Range<MediaTime>
  /// The original's media time less the rendition's.
  var ahead: MediaTime
  /// How much of the original's time may be missing in front: less than a packet.
  var before: MediaTime
  /// The marks of the run, by the media times from which they hold.
  var lives: [(media: MediaTime, life: UInt64)]
  /// Whether it goes on where the run before it ended, as behind a restart: pieces may have packets of both.
  var isJoined = false

  /// From and up to where in the original's media time it goes.
  var start: MediaTime { own.lowerBound + ahead }
  var end: MediaTime { own.upperBound + ahead }

  /// Whether the run has the first packet of a piece that begins there.
  func begins(by start: MediaTime) -> Bool { self.start - before < start || self.start == start }

  /// Whether it goes on where another run ended, in the log and, but for a little, in the original.
  ///
  /// - Parameters:
  ///   - missing: how much may be left out between them.
  ///   - repeated: how much may be there twice.
  func goesOn(from run: RenditionRun, missing: MediaTime, repeated: MediaTime) -> Bool {
    run.own.upperBound == own.lowerBound && start - run.end <= missing
      && run.end - start <= repeated
  }

  /// The life of the last packet that begins in front of `media`.
  func life(before media: MediaTime) -> UInt64 {
    (lives.last { $0.media < media } ?? lives[0]).life
  }
}

// Pieces of a rendition: its original's list, as far as the rendition has the audio.
extension Cells {
  /// What of the original is left out in front of the edge while the rendition may still make it.
  ///
  /// A rendition that is busy skips a minute; one that begins goes back a burst, or ten seconds to where it ended.
  static let lateMax = MediaTime(seconds: 75)
  /// Packets of MP3 are shorter, so a longer piece has one that begins in it.
  private static let packetMax = MediaTime(seconds: 0.08)
  /// An encoder goes on with the original's packet that holds its end; packets of a log are shorter.
  private static let repeatedMax = MediaTime(seconds: 0.3)

  /// A rendition's list: `list`, with the rendition's keys and its own media times.
  ///
  /// It may end earlier, since a piece that is still to be made is not listed yet. It begins later where the rendition
  /// keeps less than its original.
  ///
  /// - Parameters:
  ///   - list: as the original lists its pieces.
  ///   - original: as of the same moment, with the same delay.
  public func list(like list: CellList, of original: Cells) -> CellList {
    let runs = runs(of: original)
    let first = first(runs)
    let reached = max(runs.last?.end ?? .zero, original.edge - Self.lateMax)
    let pairs = zip(list.pieces, pieces(like: list.pieces, runs)).drop { $0.0.start < first }
      .prefix { !$0.1.isGap || $0.0.end <= reached }
    var own = original.titled(pairs.map(\.0))
    own.pieces = pairs.map(\.1)
    return own
  }

  /// The rendition's pieces for any of its original's; a gap is what it has not made.
  ///
  /// Start and end of a gap that was never made are zero.
  public func pieces(like pieces: [Piece], of original: Cells) -> [Piece] {
    self.pieces(like: pieces, runs(of: original))
  }

  /// The rendition's piece of a name, whether it is listed or has been.
  public func piece(
    _ key: PieceKey, cell: Int64, part: Int, like original: Cells
  ) -> PieceAnswer {
    guard NumberRecord.cells.contains(cell) else { return .unknown }
    let marks = original.borders.marks
    let runs = runs(of: original)
    var answer = PieceAnswer.unknown
    for place in marks.indices.reversed() where marks[place].settings.seconds == key.seconds {
      switch original.found(cell, part, by: place) {
      case .piece(let piece):
        let own = self.piece(like: piece, runs)
        if own.key == key { return own.isGap ? .gone : .piece(own) }
        if let last = runs.last, last.end < piece.end, let life = last.lives.last?.life,
          PieceKey(life, of: piece.key) == key
        {
          return .notListed
        }
      case .notListed: answer = .notListed
      case .gone, .unknown: break
      case nil: if cell < marks[place].cell, answer == .unknown { answer = .gone }
      }
    }
    return answer
  }

  // MARK: Pieces

  private func pieces(like pieces: [Piece], _ runs: [RenditionRun]) -> [Piece] {
    var place = 0
    return pieces.map { piece in
      while place < runs.count, runs[place].end < piece.end { place += 1 }
      return self.piece(like: piece, runs, place)
    }
  }

  private func piece(like piece: Piece, _ runs: [RenditionRun]) -> Piece {
    self.piece(like: piece, runs, runs.firstIndex { $0.end >= piece.end } ?? runs.count)
  }

  /// The first run that has come so far decides, so what a later one makes again changes nothing.
  ///
  /// - Parameter place: of that run; the number of runs where none has come so far.
  private func piece(like piece: Piece, _ runs: [RenditionRun], _ place: Int) -> Piece {
    var own = piece
    (own.start, own.end, own.isGap) = (.zero, .zero, true)
    own.codec = nil
    own.key = PieceKey(0, of: piece.key)
    var begin = place
    // No run in front is asked for where none is needed: it leaves the log first, and the piece stays what it was.
    while begin < runs.count, !runs[begin].begins(by: piece.start), runs[begin].isJoined {
      begin -= 1
    }
    guard begin < runs.count, runs[begin].begins(by: piece.start) else { return own }
    let (border, run) = (piece.start - runs[begin].ahead, runs[begin].own)
    let (start, end) = (
      max(run.lowerBound, min(border, run.upperBound)), piece.end - runs[place].ahead
    )
    guard end - start >= Self.packetMax else { return own }
    (own.start, own.end, own.missing) = (start, end, start - border)
    if begin < place {
      own.seams = (begin..<place).map { run in
        PieceSeam(
          media: runs[run + 1].own.lowerBound, missing: runs[run + 1].ahead - runs[run].ahead)
      }
    }
    own.key = PieceKey(runs[place].life(before: end), of: piece.key)
    own.codec = stream(at: start)?.mark.format.codec
    own.isGap = !isReadable(start, end)
    return own
  }

  /// The original's media time from which on the rendition's pieces stay readable for a while.
  ///
  /// What was given up never becomes a gap of a list. Half of an original's margin is left out: where both keep as much,
  /// both lists begin alike.
  private func first(_ runs: [RenditionRun]) -> MediaTime {
    guard let oldest = readable.first?.lowerBound, oldest > .zero else { return .zero }
    let half = oldest + margin.scaled(by: 0.5)
    guard let run = runs.first(where: { $0.own.upperBound > half }) else { return .zero }
    return max(half, run.own.lowerBound) + run.ahead
  }

  // MARK: Runs

  /// In the rendition's order. The newest life of a run that the original knows vouches for all in front of it: what was
  /// made before then is in front of it in the original, too.
  private func runs(of original: Cells) -> [RenditionRun] {
    let lives = original.lives
    let marks = borders.marks
    var runs: [RenditionRun] = []
    var next = 0
    while next < marks.count, marks[next].media < edge {
      let first = next
      repeat { next += 1 } while next < marks.count && marks[next].follows(marks[next - 1])
      guard let newest = (first..<next).last(where: { lives[marks[$0].original] != nil }),
        let life = lives[marks[newest].original]
      else { continue }
      let ahead =
        (life.mark.media - life.mark.programme) + (marks[newest].programme - marks[newest].media)
      let behind = newest + 1 < marks.count ? marks[newest + 1].media : .max
      let end = min(behind, edge, life.end - ahead)
      let own = marks[first...newest].prefix { $0.media < end }
      guard let begin = own.first else { continue }
      var run = RenditionRun(
        own: begin.media..<end, ahead: ahead, before: begin.before,
        lives: own.map { ($0.media, $0.life) })
      let isSame = stream(at: begin.media)?.mark == stream(at: begin.media - .flick)?.mark
      run.isJoined =
        runs.last.map {
          isSame && run.goesOn(from: $0, missing: Self.packetMax, repeated: Self.repeatedMax)
        } ?? false
      runs.append(run)
    }
    return runs
  }

  /// Of each life: how its programme times become media times, and where the process that had it ended.
  ///
  /// What a rendition made of audio behind that end was lost with it, and is other audio in the log now.
  private var lives: [UInt64: (mark: NumberMark, end: MediaTime)] {
    let marks = borders.marks
    var lives: [UInt64: (mark: NumberMark, end: MediaTime)] = [:]
    var end = MediaTime.max
    for place in marks.indices.reversed() {
      let mark = marks[place]
      // The oldest mark may have a life that began behind it: its last mark tells the end.
      if lives[mark.life] == nil { lives[mark.life] = (mark, end) }
      guard place > 0 else { break }
      let before = marks[place - 1]
      // Other settings have another life within the same process.
      let isOther = mark.life != before.life && mark.settings == before.settings
      if isOther || mark.programme != before.programme(at: mark.media) { end = mark.media }
    }
    return lives
  }
}

extension NumberMark {
  /// Whether a rendition went on without a seam from another mark to this one.
  fileprivate func follows(_ mark: NumberMark) -> Bool {
    original != 0 && mark.original != 0 && programme == mark.programme(at: media)
  }
}
