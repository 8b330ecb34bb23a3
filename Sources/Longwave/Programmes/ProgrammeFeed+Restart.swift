import Ingest
import Library
import Programmes
import Timeshift
import Wire

/// With which item the log goes on after a restart.
extension ProgrammeFeed {
  /// Takes the station's log, and goes on with the item that the log ends with.
  func beginFeeding(at now: Moment) -> Bool {
    guard let writer = log.writer() else { return false }
    let feed = Feed(writer, lead: Self.leadSeconds, piece: 0)
    let source = LocalSource(feed, readsTitles: false)
    source.whenLate = { [weak self] behind in self?.assumeIsolated { $0.tellLate(behind) } }
    self.feed = (feed, source)
    let own = log.snapshot()
    guard own.edge.position > own.oldest.position else { return true }
    let away = now.wall.seconds(since: own.edgeAir)
    if away > 0.25 { mark(away, .restart, feed) }
    if away <= plan.programme.resume { resume(own, source, at: now) }
    if playing == nil { tellPlay(endedIn: own) }
    return true
  }

  private func resume(_ own: LogSnapshot, _ source: LocalSource, at now: Moment) {
    guard let mark = own.title, var item = mark.title.item, let format = own.format,
      let last = [memory.playing, memory.before].compactMap(\.self)
        .first(where: { $0.item == item.number }),
      let file = last.file(in: format, mark.title)
    else { return }
    if last != memory.playing, let key = memory.playing.flatMap({ TrackKey($0.key) }) {
      // The track behind it had begun, and nothing of it is in the log.
      plan.takeBack(key)
      // It is kept with what plays: the next end may come before another item begins.
      memory.state = plan.state
    }
    if last.isLeft == true { return }
    let heard = (own.edge.media - mark.media).samples(rate: format.sampleRate)
    item.sample = item.sample.saturatingAdd(UInt64(max(0, heard)))
    var title = mark.title
    title.item = item
    let isMade = last.isMade ?? false
    memory.playing = .init(item: item.number, file, isMade: isMade, steps: last.steps ?? 0)
    owner.keep(memory)
    let played = Double(item.sample) / Double(max(1, format.sampleRate))
    let began = Self.moment(now) - Int64(bounded: played * 1000)
    let making = MadeFormat(for: format, bitrate: plan.programme.format?.bitrate)
    let reader = makeReader(of: file, as: isMade ? making : nil, due: 0)
    reader.mayJump = false
    let samples = reader.samplesOfOgg
    source.begin(
      behind: item.sample.saturatingAdd(samples?.from ?? 0), title: title,
      leadsIn: last.isInSeam(item.sample))
    (source.until, source.format) = (samples?.to, format)
    song = title
    playing = Playing(
      item: item.number, planned: nil, what: .file(reader), began: began,
      cutsFrom: min(began, own.edgeAir.milliseconds),
      entry: Playing.Entry(steps: last.steps ?? 0))
    findCut()
    noteResumed(item, file, from: mark, began: began, at: now)
    look()
    show(.playing, "")
  }
}
