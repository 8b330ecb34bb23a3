import Longwave
import Wire

/// What programmes would play, make and leave out.
extension ConfigurationReport {
  /// Seconds of a processor for each second of audio that is made to fit.
  private static let makingShare = 1.0 / 60

  var musicLines: [String] { forecasts.map { "  /\($0.station)  programme: \(words(of: $0))" } }

  private func words(of forecast: MusicForecast) -> String {
    if !forecast.isWhole { return "its folders could not be looked through in time" }
    var words =
      "plays \(forecast.tracks) tracks, \(HumanText.duration(forecast.seconds.rounded())): "
      + "\(forecast.asTheyAre) as they are"
    if forecast.made > 0 {
      let processor = max(1, (forecast.madeSeconds * Self.makingShare).rounded())
      words +=
        ", \(forecast.made) made to fit (\(HumanText.duration(processor)) of a processor, "
        + "\(HumanText.bytes(Double(forecast.madeBytes))))"
    }
    if let left = forecast.firstLeft { words += ", \(forecast.left) left out: \(left)" }
    let room = configuration.cache.renditions
    if forecast.madeBytes > room {
      words +=
        "; cache: renditions: is \(HumanText.bytes(Double(room))), so some are made again and again"
    }
    return words
  }

  var musicJSON: JSON {
    .array(
      forecasts.map { forecast in
        [
          "station": .string(forecast.station), "looked": .bool(forecast.isWhole),
          "tracks": JSON(forecast.tracks), "seconds": .number(forecast.seconds),
          "asTheyAre": JSON(forecast.asTheyAre), "made": JSON(forecast.made),
          "madeSeconds": .number(forecast.madeSeconds), "madeBytes": JSON(forecast.madeBytes),
          "leftOut": JSON(forecast.left), "firstLeftOut": JSON(forecast.firstLeft),
        ]
      })
  }
}
