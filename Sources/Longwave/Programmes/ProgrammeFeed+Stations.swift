import Audio
import Ingest
import Programmes
import Synchronization
import Timeshift
import Wire

/// Other stations that a programme plays: while one plays live, or for the hours of a part.
extension ProgrammeFeed {
  /// Seconds until pieces of another station are looked for again.
  private static let takeRetry = 0.05

  /// The logs of stations that the programme names; one that is gone, or has none, is not played.
  func use(stations logs: [String: PacketLog]) {
    stationLogs = logs
    takeStations()
    goOn()
  }

  /// Has the stations read that the programme names.
  func takeStations() {
    guard isFeeding else { return }
    for (id, take) in takes {
      // What is on air goes on as it was wished.
      let isSame = take.wish == wish(for: id) || isOnAir(take)
      if stationLogs[id] === take.log, isSame { continue }
      take.end()
      takes[id] = nil
    }
    for (id, log) in stationLogs where takes[id] == nil {
      takes[id] = owner.take(log, wish(for: id))
    }
  }

  private func isOnAir(_ take: StationTake) -> Bool {
    if case .station(let other)? = playing?.what { take === other } else { false }
  }

  func endTakes() {
    for take in takes.values { take.end() }
    takes = [:]
  }

  /// The upstream of a station has said goodbye: its log is over, unless another comes at once.
  func sayGoodbye(to id: String) { takes[id]?.sayGoodbye() }

  private func wish(for id: String) -> StationTake.Wish {
    let live = plan.programme.live
    let format = shelf.format ?? log.snapshot().format
    return StationTake.Wish(
      station: id, format: format, encoding: Self.encoding(to: format),
      silence: live?.station == id ? live?.afterSilence : nil)
  }

  /// How stations of other formats are made to fit; nil: nothing makes that format.
  private static func encoding(to format: AudioFormat?) -> PCMEncoding? {
    guard let format, format.codec == .mp3 else { return nil }
    var encoding = PCMEncoding()
    encoding.sampleRate = format.sampleRate
    encoding.isMono = format.channels == 1
    encoding.isStereo = format.channels == 2
    encoding.bitrate = format.sampleRate >= 32_000 ? 192 : 96
    return encoding
  }

  /// Takes note of stations that begin to play, or play no longer.
  func followStations(at now: Moment) {
    for (id, take) in takes {
      let refusal = take.refusal
      if refusedStations[id] == refusal { continue }
      refusedStations[id] = refusal
      if let refusal { owner.tellRefused(id, refusal) }
    }
    let playing = Set(takes.filter { $0.value.isPlaying(at: now.monotonic) }.keys)
    let before = plan.stock.stations
    guard playing != before else { return }
    plan.use(stock(with: playing))
    let moment = Self.moment(now)
    if case .station(let take)? = self.playing?.what, !playing.contains(take.wish.station) {
      cut(isOver: true)
    } else {
      let comes = playing.subtracting(before).contains {
        plan.onset(of: $0, at: moment) == .hard
      }
      findCut()
      if comes, !isLive { cutForStation() }
    }
    look()
  }

  var isLive: Bool {
    if case .station? = playing?.what { true } else { false }
  }

  private func cutForStation() {
    forgetJoin()
    // What was to come next comes behind the station.
    if decided != nil { plan.putBack() }
    decided = nil
    cut()
  }

  /// What there is of the sources, with the stations that play.
  func stock(with stations: Set<String>) -> Stock {
    var stock = shelf.stock
    stock.stations = stations
    return stock
  }

  /// Begins to play another station; false: it plays no longer.
  func beginStation(_ planned: Planned, at now: Moment) -> Bool {
    guard let (feed, source) = feed, let id = planned.source?.station, let take = takes[id],
      take.isPlaying(at: now.monotonic)
    else { return false }
    forgetJoin()
    (decided, follower) = (nil, nil)
    source.begin()
    source.format = shelf.format
    take.goOnAir()
    let item = TitleItem(number: UInt64(clamping: planned.item), kind: .live)
    playing = Playing(
      item: item.number, planned: planned, what: .station(take), began: Self.moment(now),
      until: planned.until)
    noteBegun(planned, nil, Playing.Entry(), at: now)
    onAir?.shown.title = id
    // Its own title comes with its packets.
    feed.markTitle(Title(text: id, item: item))
    last = planned
    look()
    memory.state = plan.state
    (memory.before, memory.playing) = (nil, nil)
    owner.keep(memory)
    show(.playing, "")
    return true
  }

  /// Feeds what is there of another station; false: nothing is, and `goOn` is called again.
  func play(_ take: StationTake, _ source: LocalSource, at now: Moment) -> Bool {
    guard let feed = feed?.feed, let playing else { return false }
    guard let piece = take.next() else {
      wait(Self.takeRetry)
      return false
    }
    switch piece {
    case .packet(let bytes, let samples, let format):
      tellLate(feed.behind(at: now))
      feed.append(bytes.span, samples: samples, format: format, at: now)
      feed.publish(at: now)
      noteFed()
      shown.withLock { $0.bytes += UInt64(bytes.count) }
    case .pages(let bytes, _):
      source.read(bytes, at: now)
      noteFed()
      shown.withLock { $0.bytes += UInt64(bytes.count) }
    case .title(var title):
      title.item = TitleItem(number: playing.item, kind: .live)
      feed.markTitle(title)
      song = title
      onAir?.shown.title = title.parts?.title ?? title.text
      onAir?.shown.artist = title.parts?.artist
      owner.tell(.title(title, position: feed.edge.position))
    case .gap(let seconds, let cause):
      if seconds > 0 { mark(seconds, cause, feed) } else { feed.markGap(seconds: 0, cause: cause) }
    }
    return true
  }
}
