import CMpg123
import Wire

/// Decodes MP3 to 16-bit samples by libmpg123. The bytes may be split anywhere.
///
/// Only this file calls libmpg123. A decoder is used on one thread at a time.
public final class Mpg123Decoder: SoundDecoder {
  /// The format of the newest samples; nil until the first frame is decoded.
  public private(set) var format: AudioFormat?

  private let handle: OpaquePointer
  /// Samples of the frame that is handed on: a frame of layer III in stereo has 1,152 × 2.
  private let samples = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 4 * 1152)

  /// Makes a decoder for any sample rate, mono or stereo.
  ///
  /// The corresponding C functions are `mpg123_new` and `mpg123_open_feed`.
  public init() throws(AudioError) {
    var code: Int32 = 0
    // Only versions before 1.27 need this call; repeating it does no harm.
    mpg123_init()
    guard let handle = mpg123_new(nil, &code) else {
      samples.deallocate()
      throw AudioError(
        call: "mpg123_new", code: code, reason: Self.text(of: code),
        advice: "Look whether libmpg123 is whole and the machine has memory left.")
    }
    self.handle = handle
    do throws(AudioError) {
      try Self.configure(handle)
    } catch {
      mpg123_delete(handle)
      samples.deallocate()
      throw error
    }
  }

  deinit {
    mpg123_delete(handle)
    samples.deallocate()
  }

  /// Decodes as far as the bytes go; an incomplete frame waits for its remaining bytes.
  ///
  /// Skips garbage between frames. `mpg123_feed` and `mpg123_read` together do what the C function `mpg123_decode`
  /// does. Nothing is allocated for it here.
  ///
  /// - Parameter take: Gets interleaved samples, at most 4,608 at once, in `format`. They are valid during the call.
  public func decode(
    _ bytes: UnsafeRawBufferPointer, atMost seconds: Double = .infinity,
    _ take: (UnsafeBufferPointer<Int16>) -> Void
  ) throws(AudioError) {
    var left = seconds
    let fed = bytes.bindMemory(to: UInt8.self)
    var code = mpg123_feed(handle, fed.baseAddress, fed.count)
    while code != MPG123_NEED_MORE.rawValue {
      switch code {
      case MPG123_OK.rawValue: break
      case MPG123_NEW_FORMAT.rawValue: readFormat()
      default: throw refusal(of: "mpg123_read", code: code)
      }
      var done = 0
      code = mpg123_read(handle, samples.baseAddress, samples.count * 2, &done)
      guard done > 0 else { continue }
      left -= format?.seconds(of: done / 2) ?? 0
      if left < 0 { throw .tooLong(seconds) }
      take(UnsafeBufferPointer(rebasing: samples[..<(done / 2)]))
    }
  }

  /// Decodes as far as the bytes go.
  ///
  /// - Returns: interleaved samples, in `format`.
  public func decode(_ bytes: [UInt8]) throws(AudioError) -> [Int16] {
    var decoded: [Int16] = []
    let result = bytes.withUnsafeBytes { raw in
      Result { () throws(AudioError) in try decode(raw) { decoded += $0 } }
    }
    try result.get()
    return decoded
  }

  /// The library's API version, such as "API 47". Before 1.32, libmpg123 tells no more at run time.
  public static var libraryVersion: String { "API \(MPG123_API_VERSION)" }

  private func readFormat() {
    var (rate, channels, encoding) = (0, Int32(0), Int32(0))
    var info = mpg123_frameinfo2()
    guard mpg123_getformat(handle, &rate, &channels, &encoding) == MPG123_OK.rawValue,
      mpg123_info2(handle, &info) == MPG123_OK.rawValue
    else { return }
    let codec: Codec =
      switch info.layer {
      case 1: .mp1
      case 2: .mp2
      default: .mp3
      }
    format = AudioFormat(codec: codec, sampleRate: rate, channels: Int(channels))
  }

  private func refusal(of call: String, code: Int32) -> AudioError {
    let reason = mpg123_strerror(handle).map { String(cString: $0) } ?? Self.text(of: code)
    return AudioError(
      call: call, code: code, reason: reason,
      advice: "Look whether these bytes are MP3, and go on with a new decoder.")
  }

  private static func configure(_ handle: OpaquePointer) throws(AudioError) {
    let flags = Int(MPG123_ADD_FLAGS.rawValue)
    let steps: [(call: String, code: Int32)] = [
      ("mpg123_param2", mpg123_param2(handle, Int32(flags), Int(MPG123_QUIET.rawValue), 0)),
      // Each frame has its samples, whatever a first frame says of an encoder's delay: they are found by their frame.
      (
        "mpg123_param2",
        mpg123_param2(
          handle, Int32(MPG123_REMOVE_FLAGS.rawValue), Int(MPG123_GAPLESS.rawValue), 0)
      ),
      // The decoder never stops looking for the next frame.
      ("mpg123_param2", mpg123_param2(handle, Int32(MPG123_RESYNC_LIMIT.rawValue), -1, 0)),
      ("mpg123_format_none", mpg123_format_none(handle)),
      (
        "mpg123_format2",
        mpg123_format2(
          handle, 0, Int32(MPG123_MONO.rawValue | MPG123_STEREO.rawValue),
          Int32(MPG123_ENC_SIGNED_16.rawValue))
      ),
      ("mpg123_open_feed", mpg123_open_feed(handle)),
    ]
    if let (call, code) = steps.first(where: { $0.code != MPG123_OK.rawValue }) {
      throw AudioError(
        call: call, code: code, reason: text(of: code),
        advice: "This libmpg123 lacks something: install 1.27 or newer.")
    }
  }

  private static func text(of code: Int32) -> String {
    mpg123_plain_strerror(code).map { String(cString: $0) } ?? "unknown error"
  }
}
