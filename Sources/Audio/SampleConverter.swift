import CMpg123
import CSyn123
import Wire

/// Makes samples of one format of samples of any rate, in mono or stereo. Only this file calls libsyn123.
///
/// The converter is used on one thread at a time. What a resampler holds back, less than 3 ms, is dropped where the
/// source changes.
public final class SampleConverter {
  public let format: SampleFormat

  private var source: (rate: Int, channels: Int)?
  private var resampler: OpaquePointer?
  private var floats: [Float] = []
  private var resampled: [Float] = []
  private var bytes: [UInt8] = []

  /// Most samples of a channel at once; more is done in pieces.
  private static let pieceFrames = 4_096

  public init(to format: SampleFormat) { self.format = format }

  /// Makes a converter for what takes samples of 16 bits, such as an encoder.
  public convenience init(sampleRate: Int, channels: Int) {
    self.init(to: SampleFormat(sampleRate: sampleRate, channels: channels, encoding: .s16le))
  }

  deinit { if let resampler { syn123_del(resampler) } }

  /// Converts interleaved samples and appends the bytes.
  ///
  /// - Parameters:
  ///   - rate: Hz.
  ///   - channels: 1 or 2.
  public func convert(
    _ samples: UnsafeBufferPointer<Int16>, rate: Int, channels: Int, into bytes: inout [UInt8]
  ) throws(AudioError) {
    if source?.rate != rate || source?.channels != channels {
      try begin(rate: rate, channels: channels)
    }
    if resampler == nil, channels == format.channels, format.encoding == .s16le {
      bytes.append(contentsOf: UnsafeRawBufferPointer(samples))
      return
    }
    var from = 0
    let frames = samples.count / channels
    while from < frames {
      let count = min(Self.pieceFrames, frames - from)
      mix(
        UnsafeBufferPointer(rebasing: samples[(from * channels)..<((from + count) * channels)]),
        channels)
      if resampler == nil { write(floats, into: &bytes) } else { resample(count, into: &bytes) }
      from += count
    }
  }

  /// Converts interleaved samples to 16 bits in this machine's own order, for a converter to `s16le`.
  public func samples(
    of samples: UnsafeBufferPointer<Int16>, rate: Int, channels: Int
  ) throws(AudioError) -> [Int16] {
    if rate == format.sampleRate, channels == format.channels { return Array(samples) }
    bytes.removeAll(keepingCapacity: true)
    try convert(samples, rate: rate, channels: channels, into: &bytes)
    return stride(from: 0, to: bytes.count - 1, by: 2).map {
      Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
    }
  }

  private func begin(rate: Int, channels: Int) throws(AudioError) {
    if let resampler { syn123_del(resampler) }
    (resampler, source) = (nil, nil)
    guard SampleFormat.rates.contains(rate), (1...2).contains(channels) else {
      throw AudioError(
        call: "syn123_setup_resample", code: -1,
        reason: "samples at \(rate) Hz in \(channels) channels are not converted",
        advice: "Rates from 8000 to 192000 Hz are, in mono or stereo.")
    }
    if rate != format.sampleRate { resampler = try makeResampler(from: rate) }
    source = (rate, channels)
  }

  private func makeResampler(from rate: Int) throws(AudioError) -> OpaquePointer {
    var code: Int32 = 0
    guard
      let made = syn123_new(
        format.sampleRate, Int32(format.channels), Int32(MPG123_ENC_FLOAT_32.rawValue), 0, &code)
    else { throw Self.refusal(of: "syn123_new", code) }
    code = syn123_setup_resample(
      made, rate, format.sampleRate, Int32(format.channels), 0, 0)
    guard code == 0 else {
      syn123_del(made)
      throw Self.refusal(of: "syn123_setup_resample", code)
    }
    let most = syn123_resample_count(rate, format.sampleRate, Self.pieceFrames)
    resampled = Array(repeating: 0, count: most * format.channels)
    return made
  }

  private static func refusal(of call: String, _ code: Int32) -> AudioError {
    AudioError(
      call: call, code: code,
      reason: syn123_strerror(code).map { String(cString: $0) } ?? "unknown error",
      advice: "Look whether libsyn123 is whole and the machine has memory left.")
  }

  /// Puts the samples into `floats`, in the channels that are wanted.
  private func mix(_ samples: UnsafeBufferPointer<Int16>, _ channels: Int) {
    floats.removeAll(keepingCapacity: true)
    switch (channels, format.channels) {
    case (2, 1):
      for index in stride(from: 0, to: samples.count - 1, by: 2) {
        floats.append((Float(samples[index]) + Float(samples[index + 1])) / 65_536)
      }
    case (1, 2):
      for sample in samples {
        floats.append(Float(sample) / 32_768)
        floats.append(Float(sample) / 32_768)
      }
    default: for sample in samples { floats.append(Float(sample) / 32_768) }
    }
  }

  private func resample(_ frames: Int, into bytes: inout [UInt8]) {
    let count = floats.withUnsafeMutableBufferPointer { source in
      resampled.withUnsafeMutableBufferPointer {
        syn123_resample(resampler, $0.baseAddress, source.baseAddress, frames)
      }
    }
    write(resampled[..<(count * format.channels)], into: &bytes)
  }

  private func write(_ samples: some Sequence<Float>, into bytes: inout [UInt8]) {
    for sample in samples {
      if format.encoding == .f32le {
        Self.append(sample.bitPattern.littleEndian, to: &bytes)
        continue
      }
      let value = Int16(min(32_767, max(-32_768, (sample * 32_768).rounded())))  // bounded: clamped
      Self.append(
        format.encoding == .s16be ? value.bigEndian : value.littleEndian, to: &bytes)
    }
  }

  private static func append<Number: FixedWidthInteger>(_ number: Number, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
  }
}
