import Timeshift
import Wire

extension RelayEvent {
  static func reloaded(_ report: ReloadReport) -> RelayEvent {
    RelayEvent(
      .configReloaded, time: Moment.now().wall,
      details: [
        "added": .array(report.added.map(JSON.string)),
        "changed": .array(report.changed.map(JSON.string)),
        "removed": .array(report.removed.map(JSON.string)),
        "leftOut": .array(report.leftOut.map(JSON.string)),
        "settings": .array(report.settings.map(JSON.string)),
      ])
  }
}
