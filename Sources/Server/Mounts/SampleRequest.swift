import Timeshift
import Wire

/// A request for a station's samples: `/ID/pcm` or, behind a WAV head, `/ID/pcm.wav`.
struct SampleRequest: Hashable, Sendable {
  var place: StreamRequest.Place
  var burst: MediaTime
  /// Hz; nil for the station's.
  var sampleRate: Int?
  /// 1 or 2; nil for the station's.
  var channels: Int?
  var encoding = SampleFormat.Encoding.s16le
  var isWAV: Bool

  /// A tap is not played, so it begins close to what is live.
  private static let burst = MediaTime(seconds: 1)

  init(
    _ head: HTTPRequestHead, isWAV: Bool, now: WallTime, in zone: ZoneOffsets
  ) throws(StreamRequest.Refusal) {
    let stream = try StreamRequest(head, now: now, in: zone)
    let query = head.query
    try QuerySlip.refuse(query, known: ["rate", "channels", "format"])
    for key in ["session", "seek"] where query[key] != nil {
      throw .init(field: key, message: "samples have no \(key); say where to begin by offset or at")
    }
    if query["bitrate"] != nil {
      throw .init(
        field: "bitrate", message: "samples have no bitrate; ask for those of a rendition")
    }
    for key in ["rate", "channels", "format"] where query.count(of: key) > 1 {
      throw .init(field: key, message: "\(key) is given twice; give it once")
    }
    (place, burst) = (stream.place, stream.burst ?? Self.burst)
    self.isWAV = isWAV
    if let text = query["rate"] {
      guard let rate = Int(text, in: SampleFormat.rates) else {
        throw .init(field: "rate", message: "rate is a number of Hz from 8000 to 192000")
      }
      sampleRate = rate
    }
    if let text = query["channels"] {
      guard let count = Int(text, in: 1...2) else {
        throw .init(field: "channels", message: "channels is 1 or 2")
      }
      channels = count
    }
    guard let text = query["format"] else { return }
    if text == "wav" {
      self.isWAV = true
    } else if let encoding = SampleFormat.Encoding(rawValue: text) {
      self.encoding = encoding
    } else {
      throw .init(field: "format", message: "format is s16le, s16be, f32le or wav")
    }
    if self.isWAV, encoding == .s16be {
      throw .init(field: "format", message: "a WAV file has no s16be; write s16le or f32le")
    }
  }
}
