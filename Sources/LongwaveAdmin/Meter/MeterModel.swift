import Foundation
import Longwave

/// What a level meter shows, from the events of a station. Pure: time comes from outside.
public struct MeterModel: Sendable {
  /// One channel.
  struct Bar: Sendable, Hashable {
    /// 0…1 for −60…0 dB, as it falls for the eye.
    var shown = 0.0
    /// Highest value of the last seconds.
    var hold = 0.0
    var holdUntil = 0.0
    /// dBFS, −∞ for silence; nil while unknown.
    var rms: Double?
    var peak: Double?
  }

  /// Seconds for which a peak stays.
  private static let holdSeconds = 1.5
  /// Of the bar's length a second: 20 dB.
  private static let fall = 20.0 / 60
  /// Seconds without levels after which nothing is shown as heard.
  private static let quietSeconds = 2.0
  private static let channelsMax = 2
  static let bandsMax = 64
  /// dBFS at and below which there is nothing.
  private static let floor = -119.0

  var station: String
  private(set) var bars: [Bar] = []
  /// dBFS of the bands, from the lowest.
  private(set) var bands: [Double] = []
  /// LUFS, LU or dBTP, −∞ for silence; what is not known yet is left out.
  private(set) var loudness: [String: Double] = [:]
  private(set) var correlation: Double?
  private(set) var media: Double?
  private(set) var titles: [(media: Double, text: String)] = []
  private(set) var isSilent = false
  /// What is wrong, in words.
  public var trouble: String?
  /// Media seconds of the live edge, and when that was.
  private var live: (media: Double, at: Double)?
  private var lastLevels: Double?
  private var time = 0.0

  public init(station: String) { self.station = station }

  /// Seconds behind live; nil while unknown.
  var lag: Double? {
    guard let live, let media else { return nil }
    return max(0, live.media + time - live.at - media)
  }

  /// Whether anything was measured yet.
  public var hasLevels: Bool { lastLevels != nil }

  /// Text of the title that is heard.
  var title: String? {
    guard let media else { return titles.last?.text }
    return titles.last { $0.media <= media }?.text
  }

  /// Receives the station's timeline, as `GET /api/v1/stations/ID/timeline` tells it.
  public mutating func receive(timeline: JSON, at now: Double) {
    if let media = Self.number(timeline["live"]?["media"]) { live = (media, now) }
    titles = (timeline["titles"]?.elements ?? []).suffix(1000).compactMap { title in
      guard let media = Self.number(title["media"]), case .string(let text)? = title["title"]
      else { return nil }
      guard case .string(let artist)? = title["artist"], !artist.isEmpty else {
        return (media, text)
      }
      return (media, "\(artist) - \(text)")
    }
  }

  /// Receives an event.
  ///
  /// - Parameter now: seconds of any clock that does not jump.
  public mutating func receive(_ event: JSON, at now: Double) {
    trouble = nil
    guard case .string(let kind)? = event["kind"] else { return }
    switch kind {
    case "levels": receiveLevels(event, at: now)
    case "spectrum":
      bands = (event["bands"]?.elements ?? []).prefix(Self.bandsMax).map {
        Self.decibels($0["level"]) ?? -.infinity
      }
    case "silence-started": isSilent = true
    case "silence-stopped": isSilent = false
    case "state":
      if case .string(let state)? = event["state"], state != "playing" {
        trouble = "the station is \(TerminalText.safe(state))"
      }
    default: break
    }
  }

  private mutating func receiveLevels(_ event: JSON, at now: Double) {
    advance(to: now)
    (media, lastLevels) = (Self.number(event["media"]), now)
    let channels = (event["channels"]?.elements ?? []).prefix(Self.channelsMax)
    while bars.count < channels.count { bars.append(Bar()) }
    bars.removeLast(bars.count - channels.count)
    for (index, channel) in channels.enumerated() {
      let (rms, peak) = (Self.decibels(channel["rms"]), Self.decibels(channel["peak"]))
      let value = Self.display(rms)
      bars[index].rms = rms
      bars[index].peak = peak
      bars[index].shown = max(bars[index].shown, value)
      let top = Self.display(peak)
      if top >= bars[index].hold || now > bars[index].holdUntil {
        (bars[index].hold, bars[index].holdUntil) = (top, now + Self.holdSeconds)
      }
    }
    loudness = [:]
    for member in event["loudness"]?.members ?? [] {
      loudness[member.key] = Self.decibels(member.value)
    }
    correlation = Self.number(event["correlation"]).map { min(1, max(-1, $0)) }
  }

  /// Lets the bars fall until `now`.
  public mutating func advance(to now: Double) {
    let passed = min(10, max(0, now - time))
    time = max(time, now)
    let isQuiet = lastLevels.map { now - $0 > Self.quietSeconds } ?? true
    for index in bars.indices {
      let target = isQuiet ? 0 : Self.display(bars[index].rms)
      bars[index].shown = max(target, bars[index].shown - Self.fall * passed)
      if now > bars[index].holdUntil { bars[index].hold = bars[index].shown }
    }
    if isQuiet { bands = [] }
  }

  /// −60…0 dB as 0…1.
  static func display(_ decibels: Double?) -> Double {
    guard let decibels else { return 0 }
    return min(1, max(0, (decibels + 60) / 60))
  }

  private static func number(_ json: JSON?) -> Double? {
    guard let value = json?.double, value.isFinite, abs(value) < 1e12 else { return nil }
    return value
  }

  /// Decibels in a range that can be shown, −∞ for silence; nil for what is not known.
  private static func decibels(_ json: JSON?) -> Double? {
    number(json).map { $0 <= floor ? -.infinity : min(99, $0) }
  }
}

extension JSON {
  fileprivate var elements: [JSON] {
    if case .array(let elements) = self { elements } else { [] }
  }
}
