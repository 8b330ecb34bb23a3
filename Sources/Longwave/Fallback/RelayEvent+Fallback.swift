import Server
import Timeshift
import Wire

// Events of fallbacks. Only administrators see the path of a file.
extension RelayEvent {
  static func fallbackStarted(
    _ setting: FallbackSetting, of station: RelayStation, overSilence: Bool
  ) -> RelayEvent {
    var event = event(
      .fallbackStarted, setting, of: station.id, position: station.log?.edgePosition,
      .init(key: "listeners", value: JSON(station.counters.now)))
    event.details.append(
      .init(key: "cause", value: .string(overSilence ? "silence" : "outage")))
    return event
  }

  static func fallbackRefused(
    _ setting: FallbackSetting, of station: RelayStation, reason: String
  ) -> RelayEvent {
    event(
      .fallbackRefused, setting, of: station.id, position: station.log?.edgePosition,
      .init(key: "reason", value: .string(reason)))
  }

  static func fallbackStopped(
    _ setting: FallbackSetting, of station: String, position: UInt64?, seconds: Double
  ) -> RelayEvent {
    event(
      .fallbackStopped, setting, of: station, position: position,
      .init(key: "seconds", value: .number(seconds)))
  }

  private static func event(
    _ kind: Kind, _ setting: FallbackSetting, of station: String, position: UInt64?,
    _ detail: JSON.Member
  ) -> RelayEvent {
    var event = RelayEvent(
      kind, station: station, time: Moment.now().wall, position: position,
      details: ["fallback": .string(setting.publicText)],
      identity: ["fallback": .string(setting.text)])
    event.details.append(detail)
    return event
  }
}
