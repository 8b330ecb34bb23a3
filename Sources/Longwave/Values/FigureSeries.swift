import Timeshift
import Wire

/// Figures of one step of time. What is not known is not a number.
struct FigureSample: Sendable {
  var listeners = Float.nan
  var kbitIn = Float.nan
  var kbitOut = Float.nan
  /// Seconds between the live edge and the hindmost live listener.
  var lagMax = Float.nan
}

/// Figures of a station, or of the whole relay, over time.
public struct FigureSeries: Sendable {
  /// Length of a step, in seconds.
  public enum Step: Int, Sendable, CaseIterable {
    case tenSeconds = 10
    case minute = 60

    /// Steps that are kept: an hour of tens of seconds, a day of minutes.
    package var count: Int {
      switch self {
      case .tenSeconds: 360
      case .minute: 1440
      }
    }
  }

  /// The time at which the first step begins, rounded to whole steps.
  public var from: WallTime
  public var step: Step
  let samples: [FigureSample]

  package var json: JSON {
    func line(_ figure: KeyPath<FigureSample, Float>) -> JSON {
      .array(
        samples.map { sample in
          let value = sample[keyPath: figure]
          return value.isNaN ? .null : .number(Double(value))
        })
    }
    return [
      "from": JSON(from), "step": JSON(step.rawValue),
      "listeners": line(\.listeners), "kbitIn": line(\.kbitIn), "kbitOut": line(\.kbitOut),
      "lagMax": line(\.lagMax),
    ]
  }
}
