import CMpg123
import Wire

/// Makes samples of MP3 bytes by libmpg123: bytes come in as they arrive, torn anywhere; 16-bit
/// samples come out.
///
/// The one file that speaks to libmpg123. Not for several threads at once: whoever makes a decoder
/// feeds it.
public final class Mpg123Decoder {
  /// What the samples given out last are; nil until the first frame was decoded.
  public private(set) var format: AudioFormat?

  private let handle: OpaquePointer

  /// Makes a decoder that takes any sample rate, mono or stereo.
  ///
  /// The corresponding C functions are `mpg123_new` and `mpg123_open_feed`.
  public init() throws(AudioError) {
    var code: Int32 = 0
    // Needed by versions before 1.27 only, harmless to repeat since.
    mpg123_init()
    guard let handle = mpg123_new(nil, &code) else {
      throw AudioError(
        call: "mpg123_new", code: code, reason: Self.text(of: code),
        advice: "Look whether libmpg123 is whole and the machine has memory left.")
    }
    self.handle = handle
    do throws(AudioError) {
      try Self.configure(handle)
    } catch {
      mpg123_delete(handle)
      throw error
    }
  }

  deinit { mpg123_delete(handle) }

  /// Decodes as far as the bytes go; a torn frame waits for its rest.
  ///
  /// Garbage between frames is stepped over. The corresponding C function is `mpg123_decode`.
  ///
  /// - Returns: interleaved samples, in `format`.
  public func decode(_ bytes: [UInt8]) throws(AudioError) -> [Int16] {
    var samples: [Int16] = []
    var code = bytes.withUnsafeBufferPointer { mpg123_feed(handle, $0.baseAddress, $0.count) }
    while code != MPG123_NEED_MORE.rawValue {
      switch code {
      case MPG123_OK.rawValue: break
      case MPG123_NEW_FORMAT.rawValue: takeFormat()
      default: throw refusal(of: "mpg123_decode", code: code)
      }
      code = readOn(into: &samples)
    }
    return samples
  }

  /// "API 47": libmpg123 tells no more at run time before 1.32.
  public static var libraryVersion: String { "API \(MPG123_API_VERSION)" }

  private func readOn(into samples: inout [Int16]) -> Int32 {
    var code: Int32 = 0
    // One layer III frame in stereo is 1,152 × 2.
    samples += [Int16](unsafeUninitializedCapacity: 4 * 1152) { buffer, count in
      var done = 0
      code = mpg123_read(handle, buffer.baseAddress, buffer.count * 2, &done)
      count = done / 2
    }
    return code
  }

  private func takeFormat() {
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
      // Never gives up looking for the next frame.
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
