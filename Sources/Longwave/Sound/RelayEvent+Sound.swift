import Audio
import Foundation
import Server
import Timeshift
import Wire

// Events and figures that are made of decoded sound. Their `media` are media seconds of the station.
extension RelayEvent {
  /// Levels of a twentieth of a second from `media` on.
  static func levels(
    _ stretch: SoundReading.Stretch, _ loudness: Loudness, of station: String, at place: SoundPlace
  ) -> RelayEvent {
    RelayEvent(
      .levels, station: station, time: place.time, position: place.position,
      details: [
        "media": .number(stretch.media),
        "channels": .array(stretch.levels.channels.map(\.json)),
        "loudness": loudness.json, "correlation": .hundredths(stretch.levels.correlation),
      ])
  }

  /// Levels of bands around `media`.
  static func spectrum(
    _ bands: [Double], around frequencies: [Double], media: Double, of station: String,
    at place: SoundPlace
  ) -> RelayEvent {
    let list = zip(frequencies, bands).map { frequency, level -> JSON in
      ["frequency": .number(frequency.rounded()), "level": .hundredths(level)]
    }
    return RelayEvent(
      .spectrum, station: station, time: place.time, position: place.position,
      details: ["media": .number(media), "bands": .array(list)])
  }

  /// Columns as `SoundChunk` has them, the first at `media`.
  static func sound(
    _ columns: [UInt8], media: Double, channels: Int, of station: String, at place: SoundPlace
  ) -> RelayEvent {
    RelayEvent(
      .sound, station: station, time: place.time, position: place.position,
      details: [
        "media": .number(media), "columnsPerSecond": JSON(SoundChunk.columnsPerSecond),
        "bands": JSON(SoundChunk.bands), "channels": JSON(channels),
        "data": .string(Data(columns).base64EncodedString()),
      ])
  }

  static func silence(
    _ change: SilenceWatch.Change, of station: String, at place: SoundPlace
  ) -> RelayEvent {
    switch change {
    case .started(let since, let until):
      RelayEvent(
        .silenceStarted, station: station, time: place.time, position: place.position,
        details: ["media": .number(since), "seconds": .number(max(0, until - since))])
    case .stopped(let media, let seconds):
      RelayEvent(
        .silenceStopped, station: station, time: place.time, position: place.position,
        details: ["media": .number(media), "seconds": .number(seconds)])
    }
  }

  static func loudness(
    _ change: LoudnessWatch.Change, of station: String, at place: SoundPlace
  ) -> RelayEvent {
    switch change {
    case .out(let bound, let since, let loudness):
      RelayEvent(
        .loudnessOut, station: station, time: place.time, position: place.position,
        details: [
          "media": .number(since), "loudness": .hundredths(loudness),
          "bound": .string(bound.rawValue),
        ])
    case .back(let media, let seconds):
      RelayEvent(
        .loudnessBack, station: station, time: place.time, position: place.position,
        details: ["media": .number(media), "seconds": .number(seconds)])
    }
  }

  /// - Parameters:
  ///   - channel: from 0 on.
  ///   - samples: found clipped since the event before.
  static func clipping(
    _ samples: Int, in channel: Int, of station: String, at place: SoundPlace
  ) -> RelayEvent {
    RelayEvent(
      .clipping, station: station, time: place.time, position: place.position,
      details: [
        "media": .number(place.media), "channel": JSON(channel), "samples": JSON(samples),
      ])
  }

  static func tapCreated(
    _ id: UInt64, _ order: SampleOrder, _ format: SampleFormat, offset: Double
  ) -> RelayEvent {
    RelayEvent(
      .tapCreated, station: order.station, time: Moment.now().wall,
      details: [
        "tap": JSON(id), "offset": .number(offset), "rate": JSON(format.sampleRate),
        "channels": JSON(format.channels),
      ], identity: ["address": JSON(order.client)])
  }

  static func tapDisposed(
    _ id: UInt64, _ order: SampleOrder, _ told: SampleTap.Told
  ) -> RelayEvent {
    RelayEvent(
      .tapDisposed, station: order.station, time: Moment.now().wall,
      details: [
        "tap": JSON(id), "seconds": .number(told.seconds), "missedSeconds": .number(told.missed),
      ], identity: ["address": JSON(order.client)])
  }
}

/// Where in a station's log something was measured, and when.
struct SoundPlace {
  var time: WallTime
  var position: UInt64?
  /// Media seconds.
  var media: Double
}
