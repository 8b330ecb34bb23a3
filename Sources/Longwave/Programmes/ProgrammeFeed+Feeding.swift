import Ingest
import Library
import Media
import Programmes
import Synchronization
import Timeshift
import Wire

/// From an item's bytes to the log, and an item's end.
extension ProgrammeFeed {
  /// Bytes without a packet behind which nothing of a file is expected any more, and those in front of its first packet,
  /// where tags with pictures stand.
  private static let (barrenMax, openingMax) = (2 << 20, 32 << 20)

  func isToBeCut(_ playing: Playing, at now: Moment) -> Bool {
    if playing.exit != nil || joins.made != nil { return false }
    // When the machine stood still, what was to cut it may be missed by now.
    if let until = playing.until, Self.moment(now) > until + Self.leaveWithin, !playing.isHeld,
      decided == nil
    {
      findCut()
    }
    // Until what comes is made, what plays is better than silence.
    if playing.leaves == nil, let until = self.playing?.until, Self.moment(now) >= until {
      if waitsForMaking(decided ?? upcoming.first) {
        self.playing?.isHeld = true
        return false
      }
      guard self.playing?.isHeld == true, playing.entry.frames.isEmpty else { return true }
      // It is made by now, and comes by a seam, if one can be made at once.
      leaveSoon()
      prepareJoin(at: now)
      return false
    }
    guard let leaves = playing.leaves else { return false }
    if Self.moment(now) >= leaves.by { return !waitsForMaking(decided) }
    switch joins.state {
    case .making, .made: return false
    case .refused: return true
    case .none:
      // A file that is being opened may be there in time.
      let next = (decided ?? upcoming.first)?.item
      if let next, case .opening? = readers[next]?.state { return false }
      return true
    }
  }

  /// Feeds a piece of a file, or of the seam before or behind it; false: nothing is there yet, and `goOn` is called again.
  func play(
    _ playing: Playing, _ reader: ItemReader, _ source: LocalSource, at now: Moment
  ) -> Bool {
    let frames = playing.entry.frames.prefix(playing.pieceBytes)
    if !frames.isEmpty {
      self.playing?.entry.frames.removeFirst(frames.count)
      feedSeam(Array(frames), source, at: now)
      readAhead(reader)
      return true
    }
    if reader.isAtEnd {
      _ = leaveBySeam(source, at: now)
      return true
    }
    let piece = reader.take(playing.pieceBytes)
    if piece.isEmpty {
      switch reader.state {
      case .failed(let failure):
        if reader.isMade, reader.hasOpened { owner.dropMade(reader.played) }
        fail(reader.file, failure)
      case .open where reader.isOver: finish(playing, at: now)
      case .open, .opening:
        readAhead(reader)
        // What goes on after a restart may have to be made again.
        if reader.isBeingMade { return waitForMade(playing.item, reader.file, at: now) }
        return false
      }
      return true
    }
    if madeLate != nil {
      madeLate = nil
      show(.playing, "")
    }
    source.steps = playing.entry.steps
    let (samples, media) = (source.samples, feed?.feed.edge.media)
    source.read(piece, at: now)
    notePiece(piece.count, since: media)
    if source.samples != samples {
      self.playing?.barren = 0
    } else {
      self.playing?.barren += piece.count
      if playing.barren + piece.count > (samples > 0 ? Self.barrenMax : Self.openingMax) {
        finish(playing, at: now)
        return true
      }
    }
    // Nothing of what is changed or made is the file's own.
    noteFed(isOwn: playing.entry.steps == 0 && onAir?.shown.isMade == false)
    shown.withLock { $0.bytes += UInt64(piece.count) }
    if source.strange != nil {
      fail(reader, "it goes on in another format")
    } else if source.isOver {
      finish(playing, at: now)
    } else {
      readAhead(reader)
    }
    return true
  }

  /// Has the next piece last about a tick, by the bit rate of this one: tags and parts say nothing of it.
  private func notePiece(_ bytes: Int, since media: MediaTime?) {
    guard let media, let edge = feed?.feed.edge.media else { return }
    let rate = Double(bytes) / (edge - media).seconds
    playing?.pieceBytes = Int(bounded: rate.isFinite ? rate * Self.tick : 0, in: Self.pieceBytes)
  }

  private func finish(_ playing: Playing, at now: Moment) {
    guard feed?.source.fileEnded(at: now) == true else {
      if case .file(let reader) = playing.what { fail(reader, "it has no audio of a known format") }
      return
    }
    self.playing = nil
    failures = 0
  }

  /// Goes on with the next item, since this one's content cannot be played.
  private func fail(_ reader: ItemReader, _ reason: String) {
    // What was made of a file is not the file's fault.
    if reader.isMade { owner.dropMade(reader.played) }
    let words = reader.isMade ? "what was made of it is spoilt, and is made again: " : ""
    fail(reader.file, ItemFailure(words + reason, isOfFile: !reader.isMade))
  }

  /// Goes on with the next item, since this one cannot be played, or not to its end.
  func fail(_ file: MusicFile, _ failure: ItemFailure) {
    failures += 1
    let isTold = failure.isOfFile || failures <= Self.failuresTold
    noteFailed(file, failure, isTold: isTold)
    // What was decided on is at fault only if it was to begin.
    if playing == nil { decided = nil }
    cut()
    forgetJoin()
    if isTold { owner.tellFailure(file, failure) }
  }
}
