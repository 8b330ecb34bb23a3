// The players' side of every answer.

import Glibc
import Reactor
import TestSupport

/// Many players in one thread, which never waits for the server, as `LoadGenerator`.
final class HLSCrowd: LoopHandler {
  enum Role { case asker, player, follower }

  struct Client {
    var role: Role
    /// -1 while it has no connection.
    var fd: Int32 = -1
    var isOpen = true
    /// The question that is not answered yet.
    var wanted: HLSPlan.Wanted?
    var isSegment = false
    var answer = HLSAnswer(keeping: .nothing)
    /// Monotonic nanoseconds.
    var askedAt: Int64 = 0
    /// The number that comes next; nil before its first list.
    var next: UInt64?
    /// What a follower knows.
    var follower: HLSFollower?
  }

  private static let pauseMicroseconds: ClosedRange<UInt32> = 500...1_000
  /// A turn with fewer events than this has reported everything that was ready.
  private static let fullTurn = 64
  /// Players that begin in one turn, so that the server's backlog holds them.
  private static let begunPerTurn = 16

  private let loop: EventLoop
  let plan: HLSPlan
  private let settled: () -> Void
  private var id: HandlerID?
  var clients: ContiguousArray<Client> = []
  private var idle: [Int] = []
  /// Followers that do nothing until a time in monotonic nanoseconds, in no order.
  var resting: [(until: Int64, index: Int)] = []
  /// The earliest of those times.
  var restsUntil = Int64.max
  /// The hash of each segment that followers have had.
  var contents: [String: UInt64] = [:]
  var isStopped = false
  var figures = HLSLoadFigures()
  private var isSettled = false
  private var events = 0
  private var owed = 0.0
  private var turnedAt = monotonicNow()
  var random: SplitMix
  /// When the first player was told that this number comes next, and that number.
  private var newest: (next: UInt64, at: Int64) = (0, 0)
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)

  /// - Parameter settled: Called once, when every player has had its first list.
  init(loop: EventLoop, plan: HLSPlan, settled: @escaping () -> Void) {
    self.loop = loop
    self.plan = plan
    self.settled = settled
    random = SplitMix(state: plan.seed)
    id = loop.attach(self)
    setTimer()
  }

  deinit { buffer.deallocate() }

  func beginWindow() { figures = HLSLoadFigures() }

  /// Nobody asks for anything more.
  func stop() { isStopped = true }

  func endWindow() -> HLSLoadFigures {
    figures.names = contents.count
    figures.stalls = clients.reduce(0) { $0 + ($1.follower?.stalls ?? 0) }
    figures.unanswered =
      clients.count { $0.role == .follower && $0.isOpen && $0.isSegment && $0.wanted != nil }
    return figures
  }

  func ready(_ token: UInt64, _ readiness: Readiness) {
    events += 1
    drain(Int(token))
  }

  func timerFired(_ token: UInt32) {
    begin()
    askDue()
    wake()
    if events < Self.fullTurn { usleep(.random(in: Self.pauseMicroseconds)) }
    events = 0
    setTimer()
  }

  private func setTimer() {
    if let id { loop.setTimer(id, token: 0, after: 0) }
  }

  // MARK: Questions

  private func begin() {
    let (askers, players) = (plan.askers?.connections ?? 0, plan.players?.count ?? 0)
    let all = askers + players + (plan.followers?.count ?? 0)
    for _ in 0..<Self.begunPerTurn where clients.count < all {
      let index = clients.count
      let role = index < askers ? Role.asker : index < askers + players ? .player : .follower
      clients.append(Client(role: role))
      if role == .follower {
        beginFollower(index, index - askers - players)
      } else if connect(index) {
        if role == .asker { idle.append(index) } else { askForList(index) }
      }
    }
    guard !isSettled, clients.count == all,
      clients.allSatisfy({ $0.role == .asker || $0.next != nil || !$0.isOpen })
    else { return }
    isSettled = true
    turnedAt = monotonicNow()
    settled()
  }

  func connect(_ index: Int) -> Bool {
    let fd = try? Loopback.beginConnecting(
      from: Loopback.source(part: plan.part, index: index), to: plan.port, segmentBytes: 1448)
    clients[index].fd = fd ?? -1
    guard let fd, let id, (try? loop.add(fd, .read, handler: id, token: UInt64(index))) != nil
    else {
      end(index, "a connection was refused")
      return false
    }
    // On loopback it is established already.
    var entry = pollfd(fd: fd, events: Int16(POLLOUT), revents: 0)
    _ = poll(&entry, 1, 5000)
    figures.connections += 1
    return true
  }

  private func askDue() {
    guard let askers = plan.askers, isSettled else { return }
    let now = monotonicNow()
    owed += Double(now - turnedAt) / 1e9 * (askers.rate ?? 0)
    turnedAt = now
    while let index = idle.last, askers.rate == nil || owed >= 1 {
      idle.removeLast()
      owed -= 1
      ask(index, askers.wanted.randomElement(using: &random)!, isSegment: false)
    }
  }

  private func askForList(_ index: Int) {
    guard let list = plan.players?.list else { return }
    let wait = clients[index].next.map { "&_HLS_msn=\($0)" } ?? ""
    ask(index, HLSPlan.Wanted(path: "\(list)?_HLS_skip=v2\(wait)"), isSegment: false)
  }

  func ask(_ index: Int, _ wanted: HLSPlan.Wanted, isSegment: Bool) {
    clients[index].wanted = wanted
    clients[index].isSegment = isSegment
    clients[index].answer = HLSAnswer(keeping: kept(of: clients[index].role, isSegment: isSegment))
    clients[index].askedAt = monotonicNow()
    let bytes = Array(
      "GET \(wanted.path) HTTP/1.1\r\nHost: bench\r\nUser-Agent: longwave-bench\r\n\r\n".utf8)
    let sent = bytes.withUnsafeBytes { Loopback.send(clients[index].fd, $0) }
    guard case .bytes(bytes.count) = sent else { return end(index, "a question was not taken") }
  }

  private func kept(of role: Role, isSegment: Bool) -> HLSAnswer.Kept {
    switch role {
    case .asker: .nothing
    case .player: isSegment ? .nothing : .bytes
    case .follower: isSegment ? .hash : .bytes
    }
  }

  // MARK: Answers

  private func drain(_ index: Int) {
    while clients[index].fd >= 0 {
      switch Socket.receive(clients[index].fd, into: buffer) {
      case .wouldBlock: return
      case .ended: return hungUp(index)
      case .bytes(let count):
        let isWhole = clients[index].answer.take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        if isWhole { return finish(index, at: monotonicNow()) }
        if count < buffer.count { return }
      }
    }
  }

  private func hungUp(_ index: Int) {
    let client = clients[index]
    let wasAtRest = client.role == .follower && client.wanted == nil
    if wasAtRest || isStopped { disconnect(index) } else { end(index, "the server hung up") }
  }

  private func finish(_ index: Int, at now: Int64) {
    let client = clients[index]
    guard let wanted = client.wanted else { return end(index, "an answer without a question") }
    clients[index].wanted = nil
    figures.bytes += client.answer.byteCount
    if client.answer.status != 200 || wanted.bytes.map({ $0 != client.answer.byteCount }) == true {
      figures.wrong += 1
      note("\(client.answer.status), \(client.answer.byteCount) bytes: \(wanted.path)")
    }
    if client.role == .follower { return finishFollower(client, index, at: now) }
    if client.role == .asker {
      figures.answers += 1
      figures.answered.record(nanoseconds: now - client.askedAt)
      idle.append(index)
      if plan.askers?.rate == nil { askDue() }
    } else if client.isSegment {
      figures.segments += 1
      askForList(index)
    } else {
      follow(index, client.answer.body, at: now)
    }
  }

  private func follow(_ index: Int, _ body: [UInt8], at now: Int64) {
    figures.lists += 1
    guard let list = HLSList(body) else { return end(index, "a list without segments") }
    if let before = clients[index].next {
      if list.next <= before { figures.unequal += 1 }
      if list.next > newest.next { newest = (list.next, now) }
      if list.next == newest.next { figures.spread.record(nanoseconds: now - newest.at) }
    }
    clients[index].next = list.next
    guard let players = plan.players, players.loadsSegments else { return askForList(index) }
    let folder = players.list[...(players.list.lastIndex(of: "/") ?? players.list.startIndex)]
    ask(index, HLSPlan.Wanted(path: folder + list.newest), isSegment: true)
  }

  func end(_ index: Int, _ reason: String) {
    guard clients[index].isOpen else { return }
    leave(index)
    figures.ended += 1
    note(reason)
  }

  /// The client does nothing any more.
  func leave(_ index: Int) {
    disconnect(index)
    clients[index].isOpen = false
  }

  private func disconnect(_ index: Int) {
    let fd = clients[index].fd
    guard fd >= 0 else { return }
    loop.remove(fd)
    Socket.close(fd)
    clients[index].fd = -1
  }

  func note(_ fault: String) {
    if figures.firstFault == nil { figures.firstFault = fault }
  }
}

/// Gives any thread access to the players, which run on their loop's thread.
actor HLSCrowdActor {
  private let loop: EventLoop
  private var crowd: HLSCrowd?

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(loop: EventLoop) { self.loop = loop }

  func start(_ plan: HLSPlan, settled: @escaping @Sendable () -> Void) {
    crowd = HLSCrowd(loop: loop, plan: plan, settled: settled)
  }

  func beginWindow() { crowd?.beginWindow() }

  func stop() { crowd?.stop() }

  func endWindow() -> HLSLoadFigures { crowd?.endWindow() ?? HLSLoadFigures() }
}
