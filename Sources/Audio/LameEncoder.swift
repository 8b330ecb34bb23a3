import CLame
import Wire

/// Encodes samples to MP3 by LAME, at a constant bit rate; without an info frame, unless one is wished.
///
/// The output is audio frames only and can be cut between any two. For a file, a frame of zeros stands in front, in whose
/// place `infoFrame` belongs. Only this file calls libmp3lame. An encoder is used
/// on one thread at a time.
public final class LameEncoder {
  public let sampleRate: Int
  public let channels: Int
  /// kbit/s.
  public let bitrate: Int

  private let lame: OpaquePointer

  /// Sets up an encoder whose output keeps the input's sample rate and loudness.
  ///
  /// The corresponding C functions are `lame_init` and `lame_init_params`.
  ///
  /// - Parameters:
  ///   - sampleRate: Hz, one of the nine of MPEG-1, 2 and 2.5 (ISO 11172-3 2.4.2.3, 13818-3).
  ///   - channels: 1 or 2.
  ///   - bitrate: kbit/s, one of the layer III bit rates at this sample rate. LAME alone would quietly use the nearest.
  ///   - usesReservoir: Whether frames may keep main data in the frames before them. Without, each is whole in itself.
  ///   - quality: 0, the best, to 9. Of a stereo stream 3 costs 1.7 % of a core, 5 costs 0.7 %, 7 costs 0.5 %.
  ///   - usesShortBlocks: Whether sharp sounds may have short windows.
  ///   - isFile: Whether room is left in front for an info frame.
  public init(
    sampleRate: Int, channels: Int, bitrate: Int, mode: PCMEncoding.Mode = .joint,
    usesReservoir: Bool = true, quality: Int = 5, usesShortBlocks: Bool = true, isFile: Bool = false
  ) throws(AudioError) {
    try Self.check(sampleRate: sampleRate, channels: channels, bitrate: bitrate)
    let settings = Settings(
      sampleRate: sampleRate, channels: channels, bitrate: bitrate, mode: mode,
      usesReservoir: usesReservoir, quality: min(9, max(0, quality)),
      usesShortBlocks: usesShortBlocks, isFile: isFile)
    func make(scale: Float) throws(AudioError) -> OpaquePointer {
      try Self.make(settings, scale: scale)
    }
    let made = try make(scale: 1)
    // LAME makes most bit rates half a decibel softer, by a factor that it tells only then.
    let factor = lame_get_scale(made)
    if factor > 0, factor != 1 {
      lame_close(made)
      lame = try make(scale: 1 / factor)
    } else {
      lame = made
    }
    self.sampleRate = sampleRate
    self.channels = channels
    self.bitrate = bitrate
  }

  private struct Settings {
    var sampleRate: Int
    var channels: Int
    var bitrate: Int
    var mode: PCMEncoding.Mode
    var usesReservoir: Bool
    var quality: Int
    var usesShortBlocks: Bool
    var isFile: Bool
  }

  private static func make(
    _ settings: Settings, scale: Float
  ) throws(AudioError) -> OpaquePointer {
    guard let lame = lame_init() else {
      throw AudioError(
        call: "lame_init", code: 0, reason: "no encoder could be made",
        advice: "The machine is most likely out of memory: free some.")
    }
    lame_set_scale(lame, scale)
    do throws(AudioError) {
      try configure(lame, settings)
    } catch {
      lame_close(lame)
      throw error
    }
    return lame
  }

  deinit { lame_close(lame) }

  /// The samples per channel that LAME puts before the first input sample; a decoder adds `MPEGInfo.decoderDelay`.
  public var delay: Int { Int(lame_get_encoder_delay(lame)) }

  /// Encodes samples and returns the bytes that are ready: none, or several frames, not always whole ones.
  ///
  /// The corresponding C functions are `lame_encode_buffer_interleaved` and `lame_encode_buffer`.
  ///
  /// - Parameter interleaved: left, right, left, ...; a whole number of samples per channel.
  public func encode(_ interleaved: [Int16]) throws(AudioError) -> [UInt8] {
    precondition(interleaved.count.isMultiple(of: channels), "a sample of one channel is missing")
    guard !interleaved.isEmpty else { return [] }
    let frames = interleaved.count / channels
    var code: Int32 = 0
    // lame.h: "mp3buf_size in bytes = 1.25 * num_samples + 7200".
    let bytes = [UInt8](unsafeUninitializedCapacity: frames + frames / 4 + 7200) { buffer, count in
      code = interleaved.withUnsafeBufferPointer { encode($0, frames: frames, into: buffer) }
      count = max(0, Int(code))
    }
    guard code >= 0 else {
      throw AudioError(
        call: channels == 2 ? "lame_encode_buffer_interleaved" : "lame_encode_buffer", code: code,
        reason: "the samples were not encoded",
        advice: code == -2
          ? "The machine is most likely out of memory: free some."
          : "Stop this encoder and make a new one.")
    }
    return bytes
  }

  /// Returns what the encoder still holds, padded with silence to a whole frame.
  ///
  /// Nothing is encoded afterwards. The corresponding C function is `lame_encode_flush`.
  public func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 7200) { buffer, count in
      count = max(0, Int(lame_encode_flush(lame, buffer.baseAddress, Int32(buffer.count))))
    }
  }

  /// Returns the frame that says of a file how many frames it has, and what the encoder added at its ends; empty unless
  /// room was left for it. For after `finish`.
  ///
  /// The corresponding C function is `lame_get_lametag_frame`.
  public func infoFrame() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      let made = lame_get_lametag_frame(lame, buffer.baseAddress, buffer.count)
      // What is longer than the buffer was not written.
      count = made <= buffer.count ? made : 0
    }
  }

  /// The version of the library found when the program started, such as "3.100".
  public static var libraryVersion: String { String(cString: get_lame_version()) }

  private func encode(
    _ samples: UnsafeBufferPointer<Int16>, frames: Int,
    into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int32 {
    // LAME declares the samples without const, but only reads them.
    let pcm = UnsafeMutablePointer(mutating: samples.baseAddress)
    let (count, room) = (Int32(frames), Int32(buffer.count))
    return channels == 2
      ? lame_encode_buffer_interleaved(lame, pcm, count, buffer.baseAddress, room)
      : lame_encode_buffer(lame, pcm, pcm, count, buffer.baseAddress, room)
  }

  private static func configure(
    _ lame: OpaquePointer, _ settings: Settings
  ) throws(AudioError) {
    let (sampleRate, channels) = (settings.sampleRate, settings.channels)
    let bitrate = settings.bitrate
    let stereo = settings.mode == .joint ? JOINT_STEREO : STEREO
    // Otherwise LAME would write to stderr, which belongs to the program.
    lame_set_errorf(lame) { _, _ in }
    lame_set_msgf(lame) { _, _ in }
    lame_set_debugf(lame) { _, _ in }
    let refusals: [(call: String, code: Int32)] = [
      ("lame_set_in_samplerate", lame_set_in_samplerate(lame, Int32(sampleRate))),
      ("lame_set_out_samplerate", lame_set_out_samplerate(lame, Int32(sampleRate))),
      ("lame_set_num_channels", lame_set_num_channels(lame, Int32(channels))),
      ("lame_set_mode", lame_set_mode(lame, channels == 2 ? stereo : MONO)),
      ("lame_set_VBR", lame_set_VBR(lame, vbr_off)),
      ("lame_set_brate", lame_set_brate(lame, Int32(bitrate))),
      ("lame_set_quality", lame_set_quality(lame, Int32(settings.quality))),
      (
        "lame_set_disable_reservoir",
        lame_set_disable_reservoir(lame, settings.usesReservoir ? 0 : 1)
      ),
      (
        "lame_set_no_short_blocks",
        lame_set_no_short_blocks(lame, settings.usesShortBlocks ? 0 : 1)
      ),
      ("lame_set_bWriteVbrTag", lame_set_bWriteVbrTag(lame, settings.isFile ? 1 : 0)),
      ("lame_init_params", lame_init_params(lame)),
    ].filter { $0.code < 0 }
    if let (call, code) = refusals.first {
      throw AudioError(
        call: call, code: code,
        reason: "\(bitrate) kbit/s at \(sampleRate) Hz in \(channels) channels was refused",
        advice: "Choose a bit rate that the sample rate allows.")
    }
  }

  private static func check(sampleRate: Int, channels: Int, bitrate: Int) throws(AudioError) {
    guard let bitrates = bitrates(at: sampleRate) else {
      throw AudioError(
        call: "lame_set_in_samplerate", code: 0,
        reason: "MP3 has no sample rate of \(sampleRate) Hz",
        advice: "Use 44100 or 48000.")
    }
    guard channels == 1 || channels == 2 else {
      throw AudioError(
        call: "lame_set_num_channels", code: 0, reason: "MP3 has no \(channels) channels",
        advice: "Use 1 or 2.")
    }
    guard bitrates.contains(bitrate) else {
      let list = bitrates.map(String.init).joined(separator: ", ")
      throw AudioError(
        call: "lame_set_brate", code: 0,
        reason: "MP3 at \(sampleRate) Hz has no bit rate of \(bitrate) kbit/s",
        advice: "Use one of \(list).")
    }
  }

  /// Sample rates of MPEG-1, 2 and 2.5 in Hz, rising.
  public static let sampleRates = [
    8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000,
  ]

  /// Layer III bit rates in kbit/s: ISO 11172-3 2.4.2.3; 13818-3 for the half sample rates. LAME's MPEG-2.5 ends at 64.
  public static func bitrates(at sampleRate: Int) -> [Int]? {
    switch sampleRate {
    case 32000, 44100, 48000: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    case 16000, 22050, 24000: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    case 8000, 11025, 12000: [8, 16, 24, 32, 40, 48, 56, 64]
    default: nil
    }
  }
}
