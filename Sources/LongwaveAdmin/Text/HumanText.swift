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
}
