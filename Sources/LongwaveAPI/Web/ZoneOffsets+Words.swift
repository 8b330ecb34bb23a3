import Longwave
import Timeshift
import Wire

extension ZoneOffsets {
  /// Returns the time of day here, such as 18:03.
  func clock(_ time: WallTime) -> String {
    let day = 86_400
    let seconds = Int(time.unixSeconds % Int64(day)) + offset(at: time.unixSeconds)
    let ofDay = (seconds % day + day) % day
    return ClockText.format(ofDay - ofDay % 60)
  }

  /// Returns the day here, such as 2026-11-30.
  func date(_ time: WallTime) -> String {
    let local = time.unixSeconds + Int64(offset(at: time.unixSeconds))
    return String(WallTime(unixSeconds: local).rfc3339.prefix(10))
  }
}
