import Timeshift
import Wire

// Recordings by schedule: looked at when one begins, when something is changed, and otherwise once a minute, since
// somebody may set the clock.
extension Relay {
  /// The zone of a station's times.
  func zone(of station: StationDefinition) -> ZoneOffsets {
    station.timeZone ?? configuration.server.timeZone ?? .machine
  }

  func timeZone(of station: String) -> ZoneOffsets {
    stations[station].map { zone(of: $0.definition) } ?? configuration.server.timeZone ?? .machine
  }

  func plannedRecordings() async -> [PlannedRecording] {
    if safeMode != nil { return [] }
    let now = Moment.now().wall.unixSeconds
    let planned = order.compactMap { stations[$0]?.definition }.flatMap { station in
      station.record.compactMap { rule in
        rule.next(after: now, in: zone(of: station)).map {
          PlannedRecording(station: station.id, rule: rule, airing: $0)
        }
      }
    }
    return planned.sorted { $0.airing.start < $1.airing.start }
  }

  /// Begins and ends what the schedules say, deletes what has been kept long enough, and comes again when it is time.
  func followSchedules() async {
    // A schedule would begin again what the relay may have died of.
    if safeMode != nil { return }
    let moment = Moment.now()
    let now = moment.wall
    // By the machine's own clock: a wall clock that was set has left nothing out.
    let look = schedulesLookedAt.map {
      now.adding(seconds: -moment.sinceBoot.seconds(since: $0)).unixSeconds
    }
    schedulesLookedAt = moment.sinceBoot
    var due = now.seconds + Self.lookAgain
    let scheduled = await recordingDesk.scheduledStations
    for station in order.compactMap({ stations[$0] }) {
      let (rules, zone) = (station.definition.record, zone(of: station.definition))
      if !station.definition.allowsRecording {
        await recordingDesk.stop(station: station.id, reason: RecordingDesk.offReason)
      }
      if rules.isEmpty, !scheduled.contains(station.id) { continue }
      if await recordingDesk.follow(rules, of: station, in: zone, now: now, since: look) {
        await wanted(station.id)
      }
      let next = RecordingPlan.nextStart(rules, in: zone, after: now.unixSeconds)
      due = min(due, next.map(Double.init) ?? due)
    }
    await tidyRecordings(now)
    let wait = max(0, due - Moment.now().wall.seconds)
    scheduleTask?.cancel()
    scheduleTask = Task { [weak self] in
      guard (try? await Task.sleep(for: .seconds(wait))) != nil else { return }
      await self?.lookAtSchedules()
    }
  }

  private static let lookAgain = 60.0

  private func lookAtSchedules() async {
    await turnstile.enter()
    defer { turnstile.leave() }
    if scheduleTask != nil { await followSchedules() }
  }

  private func tidyRecordings(_ now: WallTime) async {
    let byCommand = configuration.recordings.keep
    let rules = stations.mapValues(\.definition.record)
    await recordingDesk.tidy(now: min(now, starts.expiry.now())) { entry in
      guard let schedule = entry.schedule else {
        return RecordingKeep(
          seconds: entry.options.keep ?? byCommand.seconds, count: byCommand.count)
      }
      let rule = rules[entry.options.station]?.first { $0.key == schedule.rule }
      return rule?.keep ?? schedule.keep
    }
  }

  /// A station on demand is pulled while it is recorded.
  func wanted(ifRecorded id: String) async {
    if await recordingDesk.stations.contains(id) { await wanted(id) }
  }
}
