import Audio
import Wire

extension SampleFormat.Encoding: SettingValue {}
extension PCMEncoding.Mode: SettingValue {}

extension PCMEncoding {
  static let rows: [KeyRow<PCMEncoding>] = [
    KeyRow("bitrate", \.bitrate, .integer(ConfigurationLimits.encodedBitrate)),
    KeyRow("samplerate", \.sampleRate, .integer(ConfigurationLimits.encodedRate)),
    KeyRow("mode", \.mode, .word),
    KeyRow("mono", \.isMono, .flag),
    KeyRow("loudness", \.loudness, .decibels(ConfigurationLimits.encodedLoudness, "LUFS")),
    KeyRow("format", \.raw, .word),
    KeyRow("rate", \.rawRate, .integer(SampleFormat.rates)).written { $0.raw != nil },
    KeyRow("channels", \.rawChannels, .integer(1...2)).written { $0.raw != nil }
      .checked { reader, encoding in encoding.report(to: reader) },
  ]

  /// Makes the encoding of WAV at a bit rate that MP3 has.
  init(bitrate: Int) throws(InvalidValue) {
    self.init()
    self.bitrate = bitrate
    if let fault = bitrateFault { throw InvalidValue("\(bitrate) kbit/s: the bit rate \(fault)") }
  }

  /// Reports keys of samples that are read, at the station of a rendition, which decodes them.
  func refuseRaw(_ station: SettingReader) {
    if raw == nil { return }
    station.report(
      "has format:, which is for the samples of a program; leave it out", key: "encode")
  }

  /// Reports what is no MP3.
  func report(to reader: SettingReader) {
    for key in ["rate", "channels"] where raw == nil && reader.field(key) != nil {
      reader.report("goes with format:, for samples without a WAV head", key: key)
    }
    let rates = LameEncoder.sampleRates
    if let sampleRate, !rates.contains(sampleRate) {
      reader.report(
        "is \(sampleRate); MP3 has \(rates.map(String.init).joined(separator: ", "))",
        key: "samplerate")
      return
    }
    if let fault = bitrateFault { reader.report(fault, key: "bitrate") }
  }

  /// What is wrong with the bit rate, in words; nil where MP3 has it.
  private var bitrateFault: String? {
    let bitrates = (sampleRate.map { [$0] } ?? LameEncoder.sampleRates).compactMap {
      LameEncoder.bitrates(at: $0)
    }
    if bitrates.contains(where: { $0.contains(bitrate) }) { return nil }
    let known = Set(bitrates.joined()).sorted().map(String.init).joined(separator: ", ")
    let place = sampleRate.map { " at \($0) Hz" } ?? ""
    return "is \(bitrate); MP3 has \(known) kbit/s\(place)"
  }
}
