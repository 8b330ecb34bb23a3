import Foundation
import Timeshift
import Wire

/// How loud a station's window is, second by second: measured where it was decoded for something else, and estimated
/// without decoding it elsewhere.
public struct StationWaveform: Sendable {
  /// How points came about.
  public enum Kind: String, Sendable, CaseIterable {
    /// All of them are measured.
    case measured
    /// Points are measured where all of their seconds are; others are estimated, or unknown.
    case estimate
    /// Nothing is known.
    case none
  }

  /// A part of the waveform.
  public struct Points: Hashable, Sendable {
    /// Media seconds at which the first point begins, a multiple of `secondsPerPoint`.
    public var media: Int64
    public var secondsPerPoint: Int64
    /// The loudest second of each point: 0 for silence or unknown, else (dB + 96) / 0.375.
    public var data: [UInt8]
    public var kind = Kind.estimate
    /// How many of the points are measured.
    public var measured = 0
  }

  public var station: String
  /// The window in media seconds.
  public var window: ClosedRange<Double>
  /// Whether the station's codec says how loud it is.
  public var isKnown: Bool
  let line: LoudnessLine
  let measured: MeasuredLoudness

  init(_ log: LogLoudness, of station: String) {
    self.station = station
    let oldest = log.oldest.seconds
    window = oldest...max(oldest, log.edge.seconds)
    isKnown = log.isKnown
    line = log.line
    measured = log.measured
  }

  /// The media seconds that a request may name: no log's media time is beyond 2^61 flicks.
  public static let mediaSeconds: ClosedRange<Double> = 0...3_267_000_000
  /// Most points that one answer has.
  public static let pointsMax = 4096
  /// Lengths of a point in seconds, then the same in minutes, in hours and so on. A window that grows by a segment
  /// seldom changes the length.
  private static let steps: [Int64] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30]

  /// Returns at most `count` points of a part of the window, in media seconds; nil stands for the window's ends.
  ///
  /// Points begin at multiples of their length, so that a window that moves on gives the same points again.
  public func points(from: Double?, to: Double?, atMost count: Int) -> Points {
    let begin = min(max(from ?? window.lowerBound, window.lowerBound), window.upperBound)
    let end = min(max(to ?? window.upperBound, begin), window.upperBound)
    let step = Self.step(from: begin, to: end, atMost: max(1, count))
    let first = Int64(bounded: begin) / step
    var points = Points(media: first * step, secondsPerPoint: step, data: [], kind: .none)
    guard begin < end else {
      points.kind = isKnown ? .estimate : .none
      return points
    }
    // Beyond the edge a delayed station tells nothing, though the log knows more.
    let known = Int64(bounded: window.lowerBound)..<Int64(bounded: window.upperBound.rounded(.up))
    let last = Int64(bounded: end.rounded(.up)) - 1
    for point in first...max(first, last / step) {
      let seconds = (point * step..<(point + 1) * step).clamped(to: known)
      let measured = measuredLoudest(in: seconds)
      if measured != nil { points.measured += 1 }
      points.data.append(measured ?? line.loudest(in: seconds))
    }
    if points.measured == points.data.count {
      points.kind = .measured
    } else if isKnown || points.measured > 0 {
      points.kind = .estimate
    } else {
      points.data = []
    }
    return points
  }

  /// Nil unless all of the seconds are measured, and over for who listens to a delayed station.
  private func measuredLoudest(in seconds: Range<Int64>) -> UInt8? {
    guard seconds.upperBound <= Int64(bounded: window.upperBound) else { return nil }
    return measured.loudest(in: seconds)
  }

  /// The shortest length with which the points suffice, wherever a part as long as this one begins.
  private static func step(from begin: Double, to end: Double, atMost count: Int) -> Int64 {
    var unit: Int64 = 1
    // A log's media times end in 414 years, and one point then reaches from 0 to their end.
    while unit < Int64(Int32.max) {
      for step in steps.map({ $0 * unit }) {
        if count > 1 {
          if Double(step) * Double(count - 1) >= end - begin { return step }
        } else if Double(step) > end
          || (begin / Double(step)).rounded(.down)
            == ((end / Double(step)).rounded(.up) - 1)
        {
          return step
        }
      }
      unit *= 60
    }
    return unit
  }

  package func json(_ points: Points) -> JSON {
    [
      "station": .string(station), "media": .number(Double(points.media)),
      "secondsPerPoint": .number(Double(points.secondsPerPoint)),
      "kind": .string(points.kind.rawValue), "measured": JSON(points.measured),
      "data": .string(Data(points.data).base64EncodedString()),
    ]
  }
}
