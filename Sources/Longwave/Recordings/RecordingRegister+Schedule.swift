import Logging
import Store
import Threads
import Timeshift
import Wire

// Recordings that schedules begin and end, and recordings that have been kept long enough.
extension RecordingRegister {
  /// Carries out what a station's schedule asks for now.
  ///
  /// - Parameters:
  ///   - zone: the time zone of the rules.
  ///   - look: see `RecordingPlan.steps`.
  /// - Returns: whether a recording began.
  func follow(
    _ rules: [RecordingRule], of station: RelayStation, in zone: ZoneOffsets, now: WallTime,
    since look: Int64? = nil
  ) async -> Bool {
    let own = all.filter { $0.options.station == station.id }
    let moment = now.unixSeconds
    let steps = RecordingPlan.steps(rules, own, in: zone, at: moment, since: look)
    for step in steps {
      switch step {
      case .begin(let rule, let airing): await begin(rule, airing, zone, station)
      case .change(let id, let schedule): recorders[id]?.use(schedule)
      case .end(let id):
        logger.info("\(station.id): recording \(id) ends: it is not in the schedule any more")
        _ = try? await stop(id, reason: RecordingEntry.unscheduledReason)
      }
    }
    return steps.contains { if case .begin = $0 { true } else { false } }
  }

  /// The stations that are being recorded by schedule.
  var scheduledStations: Set<String> {
    Set(
      recorders.keys.compactMap { entries[$0] }.filter { $0.schedule != nil }.map(\.options.station)
    )
  }

  private func begin(
    _ rule: RecordingRule, _ airing: Airing, _ zone: ZoneOffsets, _ station: RelayStation
  ) async {
    var options = RecordingEntry.Options(
      station: station.id, name: rule.namePattern)
    options.from = airing.startTime.stored
    options.until = airing.endTime.stored
    (options.splits, options.overlap, options.appends) = (rule.splits, rule.overlap, rule.appends)
    (options.bytesMax, options.zone) = (rule.bytesMax, zone.name)
    do throws(RelayError) {
      let entry = try await start(
        options, of: station, by: RecordingEntry.Schedule(rule, airing))
      logger.info("\(station.id): recording \(entry.id) into \(space.folder), by schedule")
    } catch {
      logger.error("\(station.id): the schedule cannot be kept: \(error)")
    }
  }

  /// Deletes recordings that have been kept long enough, with those of their files that have not been changed.
  func tidy(now: WallTime, keep: @Sendable (RecordingEntry) -> RecordingKeep) async {
    let expired = RecordingRetention.expired(list(), now: now.stored, keep: keep)
    for entry in expired { await remove(entry) }
    let moment = now.unixSeconds
    for entry in all where entry.isHidden == true && !isAwaited(entry, at: moment) {
      await forgetQuietly(entry)
    }
  }

  private func remove(_ entry: RecordingEntry) async {
    let folder = entry.folder ?? space.folder
    // A recording that appends lists one file several times, as it grew; the last entry is the file as it is now.
    let removed = await Blocking.run {
      entry.files.count { RecordingFile.remove($0, in: folder) }
    }
    let left = Set(entry.files.map(\.name)).count - removed
    await forgetQuietly(entry)
    let changed = left > 0 ? "; \(left) changed files are left alone" : ""
    logger.info(
      "\(entry.options.station): recording \(entry.id) was kept long enough: \(removed) files deleted\(changed)"
    )
    var event = entry.event(.recordingDeleted)
    event.details += [
      .init(key: "files", value: JSON(removed)), .init(key: "filesLeft", value: JSON(left)),
    ]
    events.post(event)
  }

  private func forgetQuietly(_ entry: RecordingEntry) async {
    do throws(StoreError) {
      try await forget(entry)
    } catch {
      logger.error("\(error)")
    }
  }

  /// Takes an ended recording off the list. While its schedule would begin it again, the recording is only hidden.
  func forget(_ entry: RecordingEntry) async throws(StoreError) {
    if isAwaited(entry, at: Moment.now().wall.unixSeconds) {
      var hidden = entry
      (hidden.isHidden, hidden.files) = (true, [])
      try await store.save(hidden)
      entries[entry.id] = hidden
    } else {
      try await store.forgetRecording(entry.id)
      entries[entry.id] = nil
    }
  }

  private func isAwaited(_ entry: RecordingEntry, at moment: Int64) -> Bool {
    entry.schedule.map { $0.airing.end > moment } ?? false
  }
}
