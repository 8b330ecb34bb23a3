import Wire

/// Begins the deliveries of a station's upstreams: what kind of delivery an entry is, is decided here.
struct DeliveryMaker {
  let settings: UpstreamSettings
  let titles: TitleReader
  let machinery: IngestMachinery

  init(_ settings: UpstreamSettings, machinery: IngestMachinery) {
    self.settings = settings
    self.machinery = machinery
    titles = TitleReader(settings)
  }

  /// Begins the delivery of an entry of the list; the owner hears from a later turn of the loop.
  ///
  /// - Parameters:
  ///   - connectTimeout: the seconds for connecting; nil: as the settings say.
  ///   - relayHeaders: the header lines by which relays know each other.
  ///   - onStep: called with each step of the way to the answer.
  func begin(
    _ entry: UpstreamList.Entry, connectTimeout: Double? = nil, relayHeaders: [String] = [],
    owner: any UpstreamDeliveryOwner, onStep: ((TransferStep) -> Void)? = nil
  ) -> any UpstreamDelivery {
    let connectTimeout = connectTimeout ?? settings.connectTimeout
    // No playlist can name a program.
    if entry.lead == nil, let program = settings.program,
      entry.url == UpstreamSettings.shownURL(of: program)
    {
      return ProgramDelivery(
        program, by: self, connectTimeout: connectTimeout, owner: owner, onStep: onStep)
    }
    return PulledDelivery(
      entry, by: self, connectTimeout: connectTimeout, relayHeaders: relayHeaders, owner: owner,
      onStep: onStep)
  }

  // MARK: The parts of a delivery

  func body() -> AudioBody { AudioBody(type: settings.type, titles: titles) }

  func silence(beginningSecondsMax: Double) -> SilenceWatch {
    SilenceWatch(
      dataTimeout: settings.dataTimeout, beginningSecondsMax: beginningSecondsMax,
      clock: machinery.clock)
  }
}
