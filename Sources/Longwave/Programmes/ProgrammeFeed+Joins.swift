import Audio
import Ingest
import Library
import Media
import Programmes
import Synchronization
import Timeshift
import Wire

/// How what comes follows what plays.
extension ProgrammeFeed {
  /// Bytes of a seam that are fed at a time.
  private static let seamPieceBytes = 8192
  /// Seconds before a seam is due at which it is asked for.
  private static let seamAhead = 20.0
  /// Seconds before an item is cut at which that is asked for.
  private static let cutAhead = 10.0
  /// Milliseconds in which an item is left by a command, whatever comes of its seam.
  static let leaveWithin: Int64 = 1000
  /// Seconds from a command to where its fade ends: what making a seam may take, and the fade itself.
  private static let haste = 0.7 + PlayRules.haste

  /// Asks for the seam to what comes, if it is due soon; makes sure that one which fits no more is not used.
  func prepareJoin(at now: Moment) {
    guard let playing, playing.exit == nil, case .file(let reader) = playing.what else { return }
    let place = place(of: playing)
    if place == .end, secondsLeft(of: playing, reader) >= Self.seamAhead + SeamJob.secondsMax {
      return forgetJoin()
    }
    guard let media = reader.media, let format = shelf.format, playing.entry.frames.isEmpty,
      reader.played.format == format,
      let next = decided ?? upcoming.first, let file = shelf.file(of: next)
    else { return forgetJoin() }
    let seconds = (playing.seconds ?? 60, file.heardSeconds > 0 ? file.heardSeconds : 60)
    let join = plan.programme.rules(in: next.part).join(
      in: format, isInsert: next.kind == .insert, isCut: place != .end, seconds: seconds)
    guard let join, isNear(playing, reader, place, join, at: now) else { return forgetJoin() }
    let following = self.reader(of: next, file)
    guard let nextMedia = following.media else { return readAhead(following) }
    let wish = Joins.Wish(
      from: playing.item, to: next.item, file: file, join: join, place: place,
      stepsFrom: playing.entry.steps, stepsTo: steps(of: next, file))
    guard let number = joins.want(wish) else { return }
    (reader.end, follower) = (nil, nil)
    let job = SeamJob(
      from: .init(file: reader.played, media: media, steps: wish.stepsFrom, cut: reader.cut),
      to: .init(
        file: following.played, media: nextMedia, steps: wish.stepsTo, cut: following.cut),
      join: join, place: jobPlace(place, reader, format, at: now))
    Task {
      let outcome = await job.make(turns)
      take(outcome, of: number, following)
    }
  }

  /// Forgets the seam of what plays, which goes on to its own end.
  func forgetJoin() {
    joins.drop()
    follower = nil
    if case .file(let reader)? = playing?.what { reader.end = nil }
  }

  private func place(of playing: Playing) -> Joins.Place {
    if let leaves = playing.leaves { return .now(leaves.number) }
    return playing.until.map { .moment($0) } ?? .end
  }

  private func isNear(
    _ playing: Playing, _ reader: ItemReader, _ place: Joins.Place, _ join: SeamMaker.Join,
    at now: Moment
  ) -> Bool {
    switch place {
    case .now: return true
    case .moment(let until):
      return Double(until - Self.moment(now)) / 1000 < Self.cutAhead
    case .end: return secondsLeft(of: playing, reader) < Self.seamAhead + SeamJob.seconds(join)
    }
  }

  private func secondsLeft(of playing: Playing, _ reader: ItemReader) -> Double {
    let left = reader.last.saturatingSubtract(reader.position)
    // Without a length, that of 128 kbit/s.
    let rate = playing.seconds.map { Double(reader.bytes) / $0 } ?? 16_000
    return Double(left) / max(1, rate)
  }

  private func jobPlace(
    _ place: Joins.Place, _ reader: ItemReader, _ format: AudioFormat, at now: Moment
  ) -> SeamJob.Place {
    let seconds: Double
    switch place {
    case .end: return .end
    case .now: seconds = Self.haste
    case .moment(let until):
      seconds = Double(until - Self.moment(now)) / 1000 + PlayRules.haste
    }
    let samples = format.sampleRate >= 32_000 ? 1152.0 : 576.0
    let frames = Int(bounded: seconds * Double(format.sampleRate) / samples, in: 1...1000)
    return .behind(reader.position, frames: frames)
  }

  private func take(
    _ outcome: Result<Seam, SeamJob.Refusal>, of number: Int, _ following: ItemReader
  ) {
    guard let playing, case .file(let reader) = playing.what,
      joins.take(outcome, of: number, at: reader.position)
    else { return }
    if let (_, seam) = joins.made {
      reader.end = seam.leave
      follower = ItemReader(following, from: seam.enter)
      follower.map(readAhead)
      // By now it is known when the next item begins.
      look()
    }
    goOn()
  }

  // MARK: The border

  /// Feeds the end of a seam that is what plays; false: it is not to be left by a seam.
  ///
  /// - Returns: whether something was fed, or the next item has begun.
  func leaveBySeam(_ source: LocalSource, at now: Moment) -> Bool {
    if playing?.exit == nil { decideExit(source, at: now) }
    guard let exit = playing?.exit, let follower else { return false }
    if let piece = playing?.exit?.frames.prefix(Self.seamPieceBytes), !piece.isEmpty {
      playing?.exit?.frames.removeFirst(piece.count)
      feedSeam(Array(piece), source, at: now)
      return true
    }
    if exit.wish.place != .end { onAir?.isLeft = true }
    begin(
      exit.next, follower,
      Playing.Entry(
        join: exit.wish.join.word, steps: exit.wish.stepsTo, frames: exit.seam.behind[...],
        sample: exit.seam.samples.lowerBound, seamEnd: exit.seam.samples.upperBound), at: now)
    return true
  }

  /// Decides on the next item where the seam to it begins; the item plays on where another one comes.
  private func decideExit(_ source: LocalSource, at now: Moment) {
    guard let playing, let (wish, seam) = joins.made, follower != nil, wish.from == playing.item
    else { return forgetJoin() }
    let begins = Self.moment(now) + Int64(bounded: seam.secondsBefore * 1000)
    let next = decided ?? nextStep(at: begins).planned
    decided = next
    guard let next, next.item == wish.to, shelf.file(of: next) == wish.file else {
      return forgetJoin()
    }
    self.playing?.exit = Playing.Exit(
      next: next, wish: wish, seam: seam, frames: seam.before[...])
    memory.playing?.seamStart = playing.entry.sample.saturatingAdd(source.samples)
    owner.keep(memory)
  }

  func feedSeam(_ frames: [UInt8], _ source: LocalSource, at now: Moment) {
    // They were made of frames that are changed already.
    source.steps = 0
    source.read(frames, at: now)
    noteFed(isOwn: false)
  }

  // MARK: Levels

  /// The steps by which an item is made louder. Tracks that follow each other on one album stay as they are beside each
  /// other.
  func steps(of planned: Planned, _ file: MusicFile) -> Int {
    let rules = plan.programme.rules(in: planned.part)
    guard let target = rules.loudness, shelf.format?.codec == .mp3 else { return 0 }
    let album = planned.track?.album ?? 0
    let index = upcoming.firstIndex { $0.item == planned.item }
    let next = index.map { upcoming.dropFirst($0 + 1).first } ?? upcoming.first
    let isOfAlbum =
      album != 0 && rules.order ?? .sequence == .sequence
      && (last?.track?.album == album || next?.track?.album == album)
    return ItemGain.steps(owner.levels(file), to: target, isOfAlbum: isOfAlbum)
  }
}
