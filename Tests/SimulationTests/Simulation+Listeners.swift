import Synchronization
import TestSupport
import Timeshift
import Wire

@testable import Server
@testable import Timeshift

// Those who listen: they come anywhere in the window, are served as a loop does it, are moved, and go.
extension Simulation {
  private var ticks: Int64 { clock.now.monotonic.nanoseconds }

  func serve(_ life: Life) throws {
    life.startTurn(at: clock.now)
    if life.listeners.count < 4, crowd.chance(0.2) { join(life) }
    comeAgain(life)
    let isStalled = weather.isStalled(now)
    // The reading thread serves between two turns of a loop.
    for _ in 0..<8 where !isStalled && life.listeners.contains(where: \.isWaiting) {
      life.storage.runOnce(at: clock.now.monotonic)
      life.startTurn(at: clock.now)
      for listener in life.listeners where listener.isWaiting {
        _ = listener.serve(life.fanout, now: ticks)
      }
    }
    for listener in life.listeners { try serve(listener, life) }
  }

  private func serve(_ listener: SimulatedListener, _ life: Life) throws {
    let isHungry = now >= listener.sleepsUntil
    if has(.steering), fate.chance(0.02) { try steer(listener, life) }
    let isOn = listener.serve(life.fanout, now: ticks)
    if isHungry {
      try listener.take(ledger, at: now)
      if has(.slowListeners), crowd.chance(0.01) {
        listener.sleepsUntil = now + crowd.wait(mean: 30)
      }
    }
    try checkLiveness(of: listener, isHungry: isHungry, life)
    if !isOn || crowd.chance(0.002) { return leave(listener, life) }
    if has(.sessions), isHungry, fate.chance(0.01) { try goForAWhile(listener, life) }
  }

  /// What is owed ends at a span.
  private static let spanMax = MediaTime(seconds: 0.7)
  /// Two segments, and the longest burst.
  private static let aheadMax = 150.0

  /// Whoever has room gets something, or has all there is.
  private func checkLiveness(
    of listener: SimulatedListener, isHungry: Bool, _ life: Life
  ) throws {
    let edge = listener.shard.reader.edge.position
    if !isHungry || listener.isPaused || listener.listener.cursor >= edge
      || weather.isStalled(now - 3)
    {
      listener.satisfy(at: now)
    }
    // It may have been given more than it was owed: all there was in front of what has gone.
    if let media = media(of: listener), media + Self.spanMax >= listener.listener.pace.owed {
      listener.contentAt = now
    }
    if now - listener.contentAt > 4 {
      Trace.tell(now, "\(listener.listener.cursor) of \(edge) waits: \(listener.lastOutcome)")
    }
    let isLate =
      now - listener.contentAt > listener.burst + 8 || now - listener.heardAt > Self.aheadMax
    guard isLate else { return }
    Trace.tell(now, "\(listener.listener), \(listener.lastOutcome)")
    throw Violation(
      kind: "silence",
      text: "a listener at \(listener.listener.cursor) of \(edge) has had nothing for "
        + "\(now - listener.heardAt) s", at: now)
  }

  /// What it has ends there: what comes behind a hole it has not.
  private func media(of listener: SimulatedListener) -> MediaTime? {
    let (reader, place) = (listener.shard.reader, listener.listener.cursor)
    if let point = reader.point(holding: place), point.position == place { return point.media }
    guard place > 0, let last = reader.point(holding: place - 1), last.position < place else {
      return nil
    }
    return last.media
  }

  private func leave(_ listener: SimulatedListener, _ life: Life) {
    figures.heard += listener.heard
    life.leave(listener)
  }

  // MARK: Coming

  private func join(_ life: Life) {
    let shard = has(.delays) && fate.chance(0.5) ? life.delayed : life.shard
    let reader = shard.reader
    guard reader.edge.position > reader.oldest.position else { return }
    let isLive = crowd.chance(0.4)
    let window = (reader.edge.media - reader.oldest.media).seconds
    let burst = [0.5, 4, 20].randomElement(using: &crowd)!
    let back = isLive ? burst : crowd.seconds(0...window)
    var start: LogPoint?
    for _ in 0..<100 {
      start = reader.point(atOrBefore: reader.edge.media - MediaTime(seconds: back))
      if start != nil || weather.isStalled(now) { break }
      life.storage.runOnce(at: clock.now.monotonic)
      life.startTurn(at: clock.now)
    }
    guard let start, let format = reader.format(at: start.position) else { return }
    add(life, shard, at: start, isLive: isLive, burst: burst, codec: format.codec)
  }

  private func add(
    _ life: Life, _ shard: MountShard, at start: LogPoint, isLive: Bool, burst: Double,
    codec: Codec
  ) {
    life.slots += 1
    guard
      let listener = SimulatedListener(
        in: shard, at: start, isLive: isLive, burst: burst, slot: life.slots, now: ticks,
        seconds: now, codec: codec)
    else { return }
    listener.begin(life.fanout, chainsTitles: life.slots % 2 == 0)
    life.listeners.append(listener)
  }

  // MARK: Sessions

  /// Its player hangs up, and comes again where it was, to the station or to the delayed copy.
  private func goForAWhile(_ listener: SimulatedListener, _ life: Life) throws {
    let reader = listener.shard.reader
    if let position = try listener.place(life.fanout, ledger, at: now),
      let media = reader.media(at: position)
    {
      absent.append(
        AbsentListener(
          position: position, air: reader.air(at: media), log: reader.logSerial,
          comesAt: now + fate.wait(mean: 30),
          codec: listener.listener.codec))
    }
    leave(listener, life)
  }

  private func comeAgain(_ life: Life) {
    guard let place = absent.firstIndex(where: { $0.comesAt <= now }) else { return }
    let shard = has(.delays) && fate.chance(0.5) ? life.delayed : life.shard
    let reader = shard.reader
    let known = absent[place]
    guard
      let found = Placement.resume(
        at: known.position, air: known.air, log: known.log, burst: MediaTime(seconds: 4),
        in: reader)
    else { return }
    absent.remove(at: place)
    guard reader.edge.position > reader.oldest.position,
      reader.format(at: found.start.position)?.codec == known.codec
    else { return }
    add(life, shard, at: found.start, isLive: false, burst: 4, codec: known.codec)
  }

  // MARK: Remote control

  private func steer(_ listener: SimulatedListener, _ life: Life) throws {
    let reader = listener.shard.reader
    let steering = listener.isPaused && fate.chance(0.5) ? .resume : nextSteering()
    let before = reader.media(at: listener.listener.cursor)
    guard listener.steer(steering, life.fanout, now: ticks) else { return }
    Trace.tell(now, "\(steering): at \(listener.listener.cursor)")
    figures.steered += 1
    listener.satisfy(at: now)
    guard let before, isDiskSound, !has(.powerLosses), let window = reach(of: reader),
      let after = reader.media(at: listener.listener.cursor)
    else { return }
    var wanted: MediaTime
    switch steering {
    case .rewind(let time): wanted = before - time
    case .forward(let time): wanted = before + time
    default: return
    }
    wanted = min(max(wanted, window.lowerBound), window.upperBound)
    if abs((after - wanted).seconds) > 1 {
      throw Violation(
        kind: "steered", text: "\(steering) ends \((after - wanted).seconds) s off", at: now)
    }
  }

  private func reach(of reader: LogReader) -> ClosedRange<MediaTime>? {
    guard reader.oldest.media <= reader.edge.media else { return nil }
    return reader.oldest.media...reader.edge.media
  }

  private func nextSteering() -> Steering {
    let time = MediaTime(seconds: fate.wait(mean: 60))
    switch Int.random(in: 0..<8, using: &fate) {
    case 0, 1: return .rewind(time)
    case 2: return .forward(time)
    case 3: return .behind(time)
    case 4: return .at(clock.now.wall.adding(seconds: -fate.seconds(0...300)))
    case 5: return .track(fate.chance(0.5) ? .previous : .next)
    case 6: return .live
    default: return .pause
    }
  }
}
