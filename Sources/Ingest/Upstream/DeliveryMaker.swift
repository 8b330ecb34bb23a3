import Wire

/// Begins the deliveries of a station's upstreams, and makes their parts.
struct DeliveryMaker {
  let settings: UpstreamSettings
  let titles: TitleReader
  let machinery: IngestMachinery

  init(_ settings: UpstreamSettings, machinery: IngestMachinery) {
    self.settings = settings
    self.machinery = machinery
    titles = TitleReader(settings)
  }

  func body() -> AudioBody { AudioBody(type: settings.type, titles: titles) }

  func silence(beginningSecondsMax: Double) -> SilenceWatch {
    SilenceWatch(
      dataTimeout: settings.dataTimeout, beginningSecondsMax: beginningSecondsMax,
      clock: machinery.clock)
  }
}
