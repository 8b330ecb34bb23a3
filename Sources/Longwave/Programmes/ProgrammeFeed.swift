import Ingest
import Library
import Media
import Programmes
import Reactor
import Synchronization
import Threads
import Timeshift
import Wire

/// Plays one programme: asks its plan for one item after the other, reads their files, and feeds the station's log.
///
/// It runs on a loop's thread, with all other programmes, and never waits there: files are opened and read on a thread of their
/// folder (`FolderTurns`). So a disk that hangs costs the items on it their time, and no other programme any.
actor ProgrammeFeed {
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// What is shown of a programme.
  struct Report: Sendable {
    var state = StationState.buffering
    var reason = ""
    var connectedSince: WallTime?
    /// Bytes of files that were read.
    var bytes: UInt64 = 0
    /// The item that plays; nil while nothing does.
    var now: ProgrammeItem?
    /// Why it follows the one before it by a cut, where a join was wanted.
    var joinRefusal: String?
    /// The items to come, as they are planned.
    var upcoming: [ProgrammeItem] = []
    /// The part whose rules hold; nil: those outside of all.
    var part: ProgrammeSnapshot.Part?
    /// Seconds from now on whose files are open.
    var ahead = 0.0
    /// Tracks that can be played, and files that are left out.
    var tracks = 0
    var refused = 0
  }

  /// Seconds that the log is ahead of real time: a late wake-up within them costs nothing.
  static let leadSeconds = 2.0
  /// Seconds between two moments at which all programmes are fed: one wake-up of their thread serves all of them.
  static let tick = 0.5
  /// Bytes of a file that are fed at a time. More would be seconds of a low bit rate, in which no listener gets any.
  static let pieceBytes = 4096...8192
  /// Seconds until a log that another writer has, or music that is not there, is looked for again.
  static let (logRetry, musicRetry) = (0.05, 1.0)
  /// Items in a row that cannot be played, after which the station counts as failed, and the pause then in seconds.
  static let (failuresMax, failureRetry) = (20, 30.0)
  /// Seconds from the start for which the music of a part is waited for that is on, and those between two looks.
  static let (partPatience, partRetry) = (2.0, 0.1)
  /// Failures in a row of what may be a disk that is away, of which each is told.
  static let failuresTold = 3
  /// Items that begin before others have a turn: more than there are in the lead, unless they have no sound.
  private static let itemsAtOnce = 100
  /// Items that are opened ahead.
  static let readersMax = 2
  static let upcomingMax = 10
  /// Items that were played of which people are told.
  static let playedMax = 10

  let loop: EventLoop
  let turns: FolderTurns
  let log: PacketLog
  let owner: Owner
  let shown = Mutex(Report())
  var feed: (feed: Feed, source: LocalSource)?
  var plan: Plan
  var shelf = MusicShelf()
  var titles: ItemTitle
  /// The title that was shown last.
  var song: Title?
  var memory: ProgrammeMemory
  var playing: Playing?
  /// What is shown of the item that the log gets.
  var onAir: OnAir?
  /// Sources that had nothing to play, of which that was told.
  var emptySources: Set<Source> = []
  /// Items of the queue whose files are away, of which that was told.
  var awayItems: Set<Int64> = []
  /// The item that was decided on and has not begun.
  var decided: Planned?
  /// The items to come, as they were planned last.
  var upcoming: [Planned] = []
  var joins = Joins()
  /// What follows the seam that was made.
  var follower: ItemReader?
  /// Commands to leave what plays.
  private var commands = 0
  /// The item that began last.
  var last: Planned?
  /// Files that are being opened, or are open, by item.
  var readers: [Int64: ItemReader] = [:]
  /// Items that are made to fit, and not opened yet.
  var madeAhead: Set<Int64> = []
  /// The item whose file was to be made twice.
  var triedAgain: Int64?
  /// The item that is due and being made, and since when, in milliseconds since 1970.
  var madeLate: (item: UInt64, since: Int64)?
  /// The item that is to cut what plays, and is made before all others.
  var hastened: Int64?
  var failures = 0
  /// When it began first.
  var begunAt: MonotonicTime?
  /// When the feed began to rest, in milliseconds since 1970; nil while it plays.
  var restedAt: Int64?
  /// Whether nothing was fed since it rested.
  private var isBack = false
  /// The logs of the stations that the programme names, by their ids.
  var stationLogs: [String: PacketLog] = [:]
  /// What is read of them, while the feed does not rest.
  var takes: [String: StationTake] = [:]
  /// Why stations cannot be played, of which that was told.
  var refusedStations: [String: String] = [:]
  /// Calls when there is room for more; nil while the feed rests.
  private var alarm: LoopAlarm?

  init(
    _ log: PacketLog, _ plan: Plan, _ memory: ProgrammeMemory, on loop: EventLoop,
    turns: FolderTurns, _ owner: Owner
  ) {
    (self.log, self.plan, self.memory) = (log, plan, memory)
    (self.loop, self.turns, self.owner) = (loop, turns, owner)
    titles = ItemTitle(plan.programme.titleFormat)
  }

  nonisolated var report: Report { shown.withLock { $0 } }

  // MARK: Its owner's calls

  /// Begins, or goes on at the packet at which it rested.
  func begin() {
    guard alarm == nil else { return }
    begunAt = begunAt ?? .now()
    alarm = LoopAlarm(loop) { [weak self] in self?.assumeIsolated { $0.goOn() } }
    if let restedAt {
      // What rested goes on; the clock did not.
      shift(by: max(0, Self.moment().saturatingSubtract(restedAt)))
      findCut()
      (self.restedAt, isBack) = (nil, true)
      if playing != nil { show(.playing, "") }
    }
    takeStations()
    goOn()
  }

  func rest(_ reason: String) {
    alarm?.end()
    alarm = nil
    if isLive { cut() }
    endTakes()
    restedAt = Self.moment()
    show(.paused, reason)
  }

  /// Gives the log back. Nothing is called any more.
  ///
  /// - Returns: how far the programme has come.
  func end() -> ProgrammeMemory {
    alarm?.end()
    if isLive { cut() }
    tellPlay(isWhole: playing == nil && onAir?.isLeft == false)
    feed?.feed.end()
    memory.state = keptState
    (alarm, playing, decided, readers, feed) = (nil, nil, nil, [:], nil)
    forgetJoin()
    endTakes()
    return memory
  }

  /// Other music is there from the next item on.
  func use(_ shelf: MusicShelf) {
    let before = self.shelf
    self.shelf = shelf
    plan.use(stock(with: plan.stock.stations))
    noteMusic(after: before)
    findCut()
    look()
    // What other stations are made to fit may be known by now.
    takeStations()
    goOn()
  }

  /// Other rules hold from the next item on.
  func use(_ programme: Programme, in zone: ZoneOffsets) {
    titles = ItemTitle(programme.titleFormat)
    plan.use(programme, in: zone)
    findCut()
    look()
    goOn()
  }

  /// Leaves what plays for the next item; false while nothing plays, and nothing was decided on. `perform` goes on.
  func next() -> Bool {
    guard playing != nil || decided != nil else { return false }
    if let playing, playing.leaves == nil, decided != nil {
      // What is shown as next comes: by the seam that goes out, or as soon as one is made.
      commands += 1
      self.playing?.leaves = (commands, Self.moment() + Self.leaveWithin)
      if playing.exit == nil { forgetJoin() }
      return true
    }
    plan.skip()
    leave()
    return true
  }

  /// Plays the track before the one that plays, or that one again; false where there is none. `perform` goes on.
  func previous() -> Bool {
    var seconds = playing.map { Double(Self.moment() - $0.began) / 1000 } ?? 0
    var kind = onAir?.shown.kind ?? decided?.kind.inTitles
    // What is decided on counts as if it had just begun.
    if let decided, playing != nil { (seconds, kind) = (0, decided.kind.inTitles) }
    guard plan.previous(after: kind == .track ? seconds : nil) else { return false }
    leave()
    return true
  }

  /// Leaves what plays by a seam, if one can be made at once, else by a cut.
  private func leave() {
    // At once, so that people are told what comes, and a second command is about that item.
    decided = decide(at: .now())
    guard let playing, playing.exit == nil, let decided,
      playing.entry.frames.isEmpty || !isReady(decided)
    else { return cut() }
    leaveSoon()
  }

  /// Has what plays left by a seam, or in a moment by a cut.
  func leaveSoon() {
    commands += 1
    playing?.leaves = (commands, Self.moment() + Self.leaveWithin)
    forgetJoin()
  }

  /// How far the plan has come with what has begun: what was decided on and has not is decided on anew.
  var keptState: ProgrammeState { decided == nil ? plan.state : plan.stateWithoutProposed }

  /// Ends what plays where it is.
  ///
  /// - Parameter isOver: whether it has come to its own end there.
  func cut(isOver: Bool = false) {
    if playing != nil {
      if !isOver { onAir?.isLeft = true }
      noteOver()
    }
    if case .station(let take)? = playing?.what { take.leaveAir() }
    feed?.source.cut()
    playing = nil
  }

  // MARK: Feeding

  /// Whether it plays, or waits for something to play.
  var isFeeding: Bool { alarm != nil }

  func goOn() {
    guard alarm != nil else { return }
    guard feed != nil || beginFeeding(at: .now()), let (feed, source) = feed else {
      return wait(Self.logRetry)
    }
    // Items without a sound, or cut at once, must not hold up the other programmes.
    var left = Self.itemsAtOnce
    followStations(at: .now())
    prepareJoin(at: .now())
    while true {
      let now = Moment.now()
      if let pause = feed.pause(at: now) {
        isBack = false
        return waitForTick(after: pause, at: now)
      }
      guard let playing else {
        left -= 1
        if left == 0 { return wait(Self.musicRetry) }
        if begin(at: now) { continue }
        return
      }
      if isToBeCut(playing, at: now) {
        cut()
        continue
      }
      switch playing.what {
      case .file(let reader): guard play(playing, reader, source, at: now) else { return }
      case .station(let take): guard play(take, source, at: now) else { return }
      }
    }
  }

  func wait(_ seconds: Double) { alarm?.set(after: Int64(nanosecondsIn: seconds)) }

  private func waitForTick(after seconds: Double, at now: Moment) {
    let now = Double(now.monotonic.nanoseconds) / 1e9
    wait(((now + seconds) / Self.tick).rounded(.up) * Self.tick - now)
  }

  /// What was late beyond the lead is missing for all listeners.
  func tellLate(_ behind: Double) {
    guard behind > 0, let feed = feed?.feed else { return }
    mark(behind, .upstreamAway, feed)
    // After a rest nothing was late.
    if !isBack { owner.report(.late(behind)) }
    isBack = false
  }

  func mark(_ seconds: Double, _ cause: GapCause, _ feed: Feed) {
    guard feed.edge.position > feed.log.oldest.position else { return }
    feed.markGap(seconds: seconds, cause: cause)
    owner.tell(.gap(GapMark(position: feed.edge.position, seconds: seconds, cause: cause)))
  }

  func readAhead(_ reader: ItemReader) {
    guard reader.wantsPiece() else { return }
    Task {
      await reader.read()
      goOn()
    }
  }

  // MARK: States

  func show(_ state: StationState, _ reason: String) {
    let isNew = shown.withLock { shown in
      shown.now = onAir?.shown
      shown.joinRefusal = playing?.entry.refusal
      if shown.state == state, shown.reason == reason { return false }
      (shown.state, shown.reason) = (state, reason)
      shown.connectedSince = state == .playing ? Moment.now().wall : nil
      return true
    }
    if isNew { owner.tell(.state(state, reason: reason)) }
  }

  /// Milliseconds since 1970.
  static func moment(_ now: Moment = .now()) -> Int64 { now.wall.milliseconds }
}
