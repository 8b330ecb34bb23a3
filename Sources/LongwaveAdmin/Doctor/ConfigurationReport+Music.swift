import Longwave
import Wire

/// What programmes would play, make and leave out.
extension ConfigurationReport {
  var musicLines: [String] {
    forecasts.map {
      "  /\($0.station)  programme: \($0.words(room: configuration.cache.renditions))"
    }
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

extension MusicForecast {
  /// Seconds of a processor for each second of audio that is made to fit.
  private static let makingShare = 1.0 / 60

  /// What the programme would play, in a line.
  ///
  /// - Parameter room: bytes for what is made to fit.
  func words(room: UInt64) -> String {
    if !isWhole { return "its folders could not be looked through in time" }
    var words =
      "plays \(tracks) tracks, \(HumanText.duration(seconds.rounded())): \(asTheyAre) as they are"
    if made > 0 {
      let processor = max(1, (madeSeconds * Self.makingShare).rounded())
      words +=
        ", \(made) made to fit (\(HumanText.duration(processor)) of a processor, "
        + "\(HumanText.bytes(Double(madeBytes))))"
    }
    if let firstLeft { words += ", \(left) left out: \(firstLeft)" }
    if madeBytes > room {
      words +=
        "; cache: renditions: is \(HumanText.bytes(Double(room))), so some are made again and again"
    }
    return words
  }
}
