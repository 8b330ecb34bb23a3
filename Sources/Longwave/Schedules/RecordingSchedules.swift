import Store
import Timeshift
import Wire

/// Recordings by schedule. Schedules are looked at when a recording begins, when something is changed, and otherwise
/// once a minute, since the clock may be set.
///
/// Not Sendable: only the relay's actor has it.
final class RecordingSchedules {
  private let stations: StationTable
  private let register: RecordingRegister
  private let onDemand: OnDemand
  private let starts: StartWatch
  /// Called when it is time to look at the schedules again.
  var whenDue: @Sendable () async -> Void = {}
  /// Waits for the next recording that a schedule begins.
  private var timer: Task<Void, Never>?
  /// When the schedules were last looked at, by the machine's own clock.
  private var lookedAt: MonotonicTime?
  private var step = ClockStep()

  init(
    _ stations: StationTable, register: RecordingRegister, onDemand: OnDemand, starts: StartWatch
  ) {
    (self.stations, self.register, self.onDemand, self.starts) = (
      stations, register, onDemand, starts
    )
  }

  /// Whether schedules are off: in safe mode they would begin again what the relay may have died of.
  private var areOff: Bool { starts.safeMode != nil }

  private static let lookAgain = 60.0

  /// The next recording of each entry, the soonest first.
  var planned: [PlannedRecording] {
    if areOff { return [] }
    let now = Moment.now().wall.unixSeconds
    let planned = stations.inOrder.map(\.definition).flatMap { station in
      let zone = stations.zone(of: station)
      return station.recordingRules.compactMap { rule in
        rule.times.next(after: now, in: zone).map {
          PlannedRecording(station: station.id, rule: rule, airing: $0, zone: zone)
        }
      }
    }
    return planned.sorted { $0.airing.start < $1.airing.start }
  }

  /// Returns the recordings to come on some days, in the relay's time zone or, of one station, in that one's.
  ///
  /// - Parameter first: a moment on the first day; nil for now.
  func calendar(
    of station: String?, from first: WallTime?, days: Int
  ) throws(RelayError) -> RecordingCalendar {
    let shown = try station.map { id throws(RelayError) in [try stations.station(id)] }
    let kept = (shown ?? stations.inOrder).map(\.definition).filter { !$0.recordingRules.isEmpty }
    let now = Moment.now().wall.unixSeconds
    var calendar = RecordingCalendar(
      zone: stations.zone(of: station ?? ""), now: now, first: first?.unixSeconds ?? now,
      days: days)
    if !areOff {
      calendar.stations = kept.map {
        .init(id: $0.id, rules: $0.recordingRules, zone: stations.zone(of: $0))
      }
    }
    return calendar
  }

  /// Begins and ends what the schedules say, deletes recordings kept long enough, and sets the time of the next look.
  func follow() async {
    if areOff { return }
    let moment = Moment.now()
    let now = moment.wall
    // By the machine's own clock: a wall clock that was set has skipped no time.
    let look = lookedAt.map {
      now.adding(seconds: -moment.sinceBoot.seconds(since: $0)).unixSeconds
    }
    lookedAt = moment.sinceBoot
    var due = now.seconds + Self.lookAgain
    let scheduled = await register.scheduledStations
    for station in stations.inOrder {
      let next = await follow(station, isScheduled: scheduled.contains(station.id), now, look)
      due = min(due, next ?? due)
    }
    await tidy(now)
    wait(until: due)
  }

  /// Follows one station's schedule.
  ///
  /// - Returns: when the next of its recordings begins, Unix seconds; nil when none is planned.
  private func follow(
    _ station: RelayStation, isScheduled: Bool, _ now: WallTime, _ look: Int64?
  ) async -> Double? {
    let (rules, zone) = (station.definition.recordingRules, stations.zone(of: station.definition))
    if !station.definition.allowsRecording {
      await register.stop(station: station.id, reason: RecordingRegister.offReason)
    }
    if rules.isEmpty, !isScheduled { return nil }
    if await register.follow(rules, of: station, in: zone, now: now, since: look) {
      await onDemand.wake(station.id)
    }
    return RecordingPlan.nextStart(rules, in: zone, after: now.unixSeconds).map(Double.init)
  }

  private func wait(until due: Double) {
    let wait = max(0, due - Moment.now().wall.seconds)
    timer?.cancel()
    timer = Task { [whenDue] in
      guard (try? await Task.sleep(for: .seconds(wait))) != nil else { return }
      await whenDue()
    }
  }

  /// Follows the schedules, unless they have been ended meanwhile.
  func followWhenDue() async { if timer != nil { await follow() } }

  /// The seconds by which the wall clock was set since the last call; nil: it was not.
  func clockStep(at now: Moment) -> Double? { step.seconds(at: now) }

  func cancel() {
    timer?.cancel()
    timer = nil
  }

  private func tidy(_ now: WallTime) async {
    let byCommand = stations.configuration.recordings.keep
    let rules = stations.byID.mapValues(\.definition.recordingRules)
    await register.tidy(now: min(now, starts.expiry.now())) { entry in
      guard let schedule = entry.schedule else {
        return RecordingKeep(
          seconds: entry.options.keep ?? byCommand.seconds, count: byCommand.count)
      }
      let rule = rules[entry.options.station]?.first { $0.key == schedule.rule }
      return rule?.keep ?? schedule.keep
    }
  }
}
