import Foundation
import Server
import Wire

/// How often each minute of a station's past was heard later than live, as far as strangers may know.
public struct StationReplays: Hashable, Sendable {
  public var station: String
  /// Media seconds at which the first minute begins.
  public var media: Int64
  /// A byte for each minute from `media` on: 0, or a step up to 255 for the busiest one.
  public var data: [UInt8]

  /// - Parameter first: number of the first minute.
  init(station: String, first: Int64 = 0, data: [UInt8] = []) {
    self.station = station
    self.media = first.saturatingMultiply(ReplaySample.seconds)
    self.data = data
  }

  package var json: JSON {
    [
      "station": .string(station), "media": .number(Double(media)),
      "secondsPerPoint": .number(Double(ReplaySample.seconds)),
      "data": .string(Data(data).base64EncodedString()),
    ]
  }
}
