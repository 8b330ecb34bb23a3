import Logging
import Threads
import Timeshift

// Taking over another configuration while everything runs.
extension Relay {
  /// Reopens the access and playlist logs as new files, after the old ones have been moved away.
  public nonisolated func reopenLogs() { logFiles.reopen() }

  /// Reads the configuration again. A bad configuration changes nothing; listeners of unchanged stations notice
  /// nothing. The administration's socket is made again where it is gone, whatever the configuration is.
  @discardableResult
  public func reload() async throws(RelayError) -> ReloadReport {
    await reloads.enter()
    defer { reloads.leave() }
    await lookAtData()
    guard let load = options.reloadConfiguration else { throw RelayError.noConfiguration }
    do throws(RelayError) {
      return try await reload(by: load)
    } catch {
      configurationMetrics.isLastSuccessful = false
      throw error
    }
  }

  private func reload(
    by load: @escaping @Sendable () throws(ConfigurationError) -> Configuration
  ) async throws(RelayError) -> ReloadReport {
    let name = Reload.turn(configuration.file)
    let loaded: Result<Configuration, ConfigurationError>
    do throws(SilentPath) {
      loaded = try await options.paths.look(name) {
        Result { () throws(ConfigurationError) in try load() }
      }
    } catch {
      throw notTakenOver(.silent(error))
    }
    switch loaded {
    case .success(let new): return try await apply(new)
    case .failure(let error): throw notTakenOver(.badConfiguration("\(error)"))
    }
  }

  /// Returns what a reload would do now, and changes nothing.
  package func configurationChanges() async throws(RelayError) -> ConfigurationChanges {
    guard let load = options.reloadConfiguration else { throw RelayError.noConfiguration }
    return try await reloadLooks.outcome {
      do throws(RelayError) {
        return .success(try await self.configurationChanges(by: load))
      } catch {
        return .failure(error)
      }
    }.get()
  }

  private func configurationChanges(
    by load: @escaping @Sendable () throws(ConfigurationError) -> Configuration
  ) async throws(RelayError) -> ConfigurationChanges {
    let running = configuration
    let look: Reload.Look
    do throws(SilentPath) {
      look = try await options.paths.look(Reload.lookTurn(running.file)) {
        Reload.Look(load, file: running.file)
      }
    } catch {
      throw .silent(error)
    }
    var changes = await Blocking.run { look.changes(from: running) }
    if case .success(let new) = look.loaded {
      changes.report.needRestart = startedWith.keysForNextStart(new)
      changes.report.settings = running.sections(differingIn: new)
      try await reloading.tell(new, in: &changes)
    }
    return changes
  }

  private func notTakenOver(_ error: RelayError) -> RelayError {
    logger.error("the configuration is not taken over: \(error)")
    return error
  }

  /// Takes over another configuration. Throws `RelayError.badConfiguration`, and changes nothing, when a file that says
  /// the same could not be taken over.
  public func apply(_ new: Configuration) async throws(RelayError) -> ReloadReport {
    let new = try validated(new)
    // Files are read first, before other changes have to wait: a configuration with bad files changes nothing.
    let read = try await readFiles(of: new)
    await turnstile.enter()
    defer { turnstile.leave() }
    let before = configuration
    var report = ReloadReport()
    report.settings = before.sections(differingIn: new)
    report.needRestart = startedWith.keysForNextStart(new)
    try await reloading.carryOut(new, read, &report)
    await music.use(new)
    await collectionDesk.use(new.library)
    await library.use(new.library)
    maker.use(new.cache)
    logFiles.use(new.log)
    await recordingRegister.use(RecordingSpace(new.recordings, data: dataPath))
    await schedules.follow()
    adminRights.set(new)
    webhookList.follow(new.webhooks)
    await serving.use(read.server)
    if before.server.listenersMax != new.server.listenersMax
      || before.server.connectionsMax != new.server.connectionsMax
    {
      serving.warnOfLimits()
    }
    configurationMetrics = ConfigurationMetrics(takenOverAt: Moment.now().wall)
    logger.info("configuration read again: \(report.line)")
    events.post(report.event(without: events.unlisted))
    return report
  }

  private func validated(_ new: Configuration) throws(RelayError) -> Configuration {
    do throws(RelayError) {
      return try new.validated()
    } catch {
      throw notTakenOver(error)
    }
  }

  private func readFiles(of new: Configuration) async throws(RelayError) -> ReloadFiles {
    let read: ReloadFiles
    do throws(RelayError) {
      read = try await reloading.readFiles(of: new, as: Reload.turn(new.file))
    } catch .failed(let reason) {
      throw .failed(reason)
    } catch {
      throw notTakenOver(error)
    }
    if let refusal = read.refusal { throw notTakenOver(.badConfiguration("\(refusal)")) }
    return read
  }

  private var reloading: Reload {
    Reload(kit: kit, fallbackRules: fallbackRules, paths: options.paths, data: dataPath)
  }
}
