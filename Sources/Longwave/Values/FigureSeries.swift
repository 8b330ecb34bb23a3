import Timeshift
import Wire

/// Figures of one step of time. What is not known is not a number.
struct FigureSample: Sendable {
  /// Listeners of the stream and of HLS together.
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
}

extension FigureSeries: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("from", \.from), Shape("step", \.step.rawValue),
    row("listeners", Schema.count, { $0.listeners }), row("kbitIn", Schema.number, { $0.kbitIn }),
    row("kbitOut", Schema.number, { $0.kbitOut }), row("lagMax", Schema.number, { $0.lagMax }),
  ]

  private static func row(
    _ name: String, _ schema: JSON, _ figure: @escaping @Sendable (FigureSample) -> Float
  ) -> Shape<Self> {
    Shape(name, Schema.list(Schema.known(schema))) { series in
      .array(
        series.samples.map { sample in
          let value = figure(sample)
          return value.isNaN ? .null : .number(Double(value))
        })
    }
  }
}
