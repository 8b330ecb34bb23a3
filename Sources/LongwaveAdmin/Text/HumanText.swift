import Foundation
import Longwave
import Wire

/// Formats figures for people.
public enum HumanText {
  /// Returns a duration such as `3h12m`; below ten seconds with one decimal.
  public static func duration(_ seconds: Double) -> String {
    abs(seconds) < 10
      ? JSON.decimal((seconds * 10).rounded() / 10) + "s"
      : DurationText.format(seconds.rounded())
  }

  /// Returns a size such as `57.6 MB`.
  public static func bytes(_ count: Double) -> String {
    var value = count
    for unit in ["B", "kB", "MB", "GB", "TB"] {
      if value < 999.5 || unit == "TB" {
        let rounded = value < 9.95 && unit != "B" ? (value * 10).rounded() / 10 : value.rounded()
        return JSON.decimal(rounded) + " " + unit
      }
      value /= 1000
    }
    return ""
  }

  /// Returns seconds as players show them: `3:12`, `1:02:03`.
  public static func clock(_ seconds: Double) -> String {
    let whole = Int(bounded: seconds.rounded(.down), in: 0...1_000_000_000)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (whole / 3600, whole / 60 % 60)
    let rest = ":\(two(whole % 60))"
    return hours > 0 ? "\(hours):\(two(minutes))\(rest)" : "\(minutes)\(rest)"
  }

  /// Returns a whole number with its thousands apart: `1,800`.
  public static func grouped(_ number: Double) -> String {
    NumberText.grouped(Int(bounded: number.rounded(), in: 0...1_000_000_000_000))
  }
}
