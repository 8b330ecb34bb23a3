import Audio
import Wire

extension SampleFormat.Encoding: SettingValue {}
extension PCMEncoding.Mode: SettingValue {}

extension PCMEncoding {
  static let rows: [KeyRow<PCMEncoding>] = [
    KeyRow("bitrate", \.bitrate, .mp3Bitrate),
    KeyRow("samplerate", \.sampleRate, .mp3SampleRate),
    KeyRow("mode", \.mode, .word),
    KeyRow("mono", \.isMono, .flag),
    KeyRow("loudness", \.loudness, .decibels(ConfigurationLimits.encodedLoudness, "LUFS")),
    KeyRow("format", \.raw, .word),
    // Without a format they say how a sound input is read.
    KeyRow("rate", \.rawRate, .integer(SampleFormat.rates))
      .written { $0.raw != nil || $0.rawRate != PCMEncoding().rawRate },
    KeyRow("channels", \.rawChannels, .integer(1...2))
      .written { $0.raw != nil || $0.rawChannels != PCMEncoding().rawChannels }
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

  /// Reports keys of raw samples beside WAV, whose head says what they are.
  func checkRaw(_ station: SettingReader) {
    guard raw == nil, case .fields(let fields)? = station.node("encode")?.content else { return }
    for field in fields where ["rate", "channels"].contains(field.key) {
      station.problems.add(
        "goes with format:, for samples without a WAV head",
        key: station.full("encode.\(field.key)"), line: field.line)
    }
  }

  /// Reports what is no MP3.
  func report(to reader: SettingReader) {
    if let fault = bitrateFault { reader.report(fault, key: "bitrate") }
  }

  /// The mistake in the bit rate, in words; nil where MP3 has the rate.
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

extension ValueRule where Value == Int {
  /// The rule for kbit/s of MP3. The possible rates depend on the sample rate: `PCMEncoding.report` checks both.
  static var mp3Bitrate: ValueRule {
    let (wanted, limits) = ("the kbit/s of an MP3, such as 64", ConfigurationLimits.encodedBitrate)
    return ValueRule(wanted: wanted, schema: Schema.integer(limits)) { text throws(InvalidValue) in
      // Any number is told by the check which ones there are.
      guard let number = Int(text, in: 0...999_999_999) else {
        throw InvalidValue(quoting: text, "is no bit rate; write \(wanted)")
      }
      return number
    }
  }

  /// The rule for Hz of MP3.
  static var mp3SampleRate: ValueRule {
    let rates = LameEncoder.sampleRates.map(String.init)
    let wanted = rates.dropLast().joined(separator: ", ") + " or " + (rates.last ?? "")
    return ValueRule(wanted: wanted, schema: Schema.integer(ConfigurationLimits.encodedRate)) {
      text throws(InvalidValue) in
      guard let rate = Int(text, in: ConfigurationLimits.encodedRate), rates.contains(text) else {
        throw InvalidValue(quoting: text, "is no sample rate of MP3; write \(wanted)")
      }
      return rate
    }
  }
}
