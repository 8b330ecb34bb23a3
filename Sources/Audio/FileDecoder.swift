import CAvcodec

/// Decodes what files have and streams do not, by libavcodec: FLAC without Ogg, and AAC and ALAC of MP4.
///
/// It calls `CAvcodec` as `AvDecoder` does. A decoder is used on one thread at a time.
public final class FileDecoder {
  /// What the file's head says of its packets.
  public enum Setup: Hashable, Sendable {
    /// The 34 bytes of STREAMINFO (RFC 9639 §8.2).
    case flac([UInt8])
    /// An AudioSpecificConfig (ISO/IEC 14496-3 §1.6.2.1).
    case aac([UInt8])
    /// The box `alac` with its head, its version and its flags (Apple's "ALAC Magic Cookie Description").
    case alac([UInt8])

    public var name: String {
      switch self {
      case .flac: "FLAC"
      case .aac: "AAC"
      case .alac: "ALAC"
      }
    }

    fileprivate var bytes: [UInt8] {
      switch self {
      case .flac(let bytes), .aac(let bytes), .alac(let bytes): bytes
      }
    }
  }

  /// Gets interleaved samples, valid during the call, their rate in Hz, and 1 or 2 channels.
  public typealias Take = (UnsafeBufferPointer<Int16>, _ rate: Int, _ channels: Int) -> Void

  private let setup: Setup
  private let decoder: OpaquePointer
  /// Bytes since the last frame.
  private var behind = 0
  /// Whether so much came without a frame that no more is searched: the parser holds all of it.
  public private(set) var isLost = false

  /// The longest frame has 2 MiB: 65,535 samples of 8 channels.
  private static let behindMax = 16 << 20

  /// Calls that find nothing and take no byte, after which a search is over.
  private static let idleMax = 16
  /// Frames that a search may hold: of silence, one has 12 bytes, and a search waits for some 80 KiB.
  private static let heldMax = 100_000

  /// Makes a decoder.
  ///
  /// The corresponding C functions are `avcodec_find_decoder` and `avcodec_open2`.
  ///
  /// - Throws: where libavcodec is missing or refuses.
  public init(_ setup: Setup) throws(AudioError) {
    if let refusal = Self.refusal(of: setup.name) { throw refusal }
    let id =
      switch setup {
      case .flac: CAV_FLAC
      case .aac: CAV_AAC
      case .alac: CAV_ALAC
      }
    var code: Int32 = 0
    guard let decoder = cav_open(id, setup.bytes, setup.bytes.count, &code) else {
      throw AudioError(
        call: "avcodec_open2", code: code, reason: AvDecoder.text(of: code),
        advice: "Look whether libavcodec has \(setup.name), and the machine has memory left.")
    }
    (self.setup, self.decoder) = (setup, decoder)
  }

  deinit { cav_close(decoder) }

  /// Why files of a codec cannot be decoded; nil where they can.
  public static func refusal(of codec: String) -> AudioError? { AvDecoder.refusal(ofName: codec) }

  /// Decodes one packet of MP4.
  public func decode(packet: [UInt8], _ take: Take) throws(AudioError) {
    cav_clear(decoder)
    try check(cav_decode(decoder, packet, packet.count))
    hand(on: take)
  }

  /// Decodes the frames of a file of FLAC whose end is in these bytes or behind the bytes before them. The bytes may be
  /// split anywhere.
  ///
  /// - Returns: how many frames were damaged.
  public func decode(file bytes: Span<UInt8>, _ take: Take) -> Int {
    bytes.withUnsafeBufferPointer { bytes in
      var (from, idle, damaged) = (0, 0, 0)
      while from < bytes.count, idle < Self.idleMax, !isLost {
        let rest = UnsafeBufferPointer(rebasing: bytes[from...])
        let found = find(rest.baseAddress, rest.count, take)
        if found.isDamaged { damaged += 1 }
        idle = found.used == 0 && !found.isFrame ? idle + 1 : 0
        from += found.used
        behind = found.isFrame ? 0 : behind + found.used
        isLost = behind > Self.behindMax
      }
      return damaged
    }
  }

  /// Decodes the frames at the end of a file of FLAC, which no other one has ended.
  public func finish(_ take: Take) {
    var (idle, held) = (0, 0)
    while idle < Self.idleMax, held < Self.heldMax {
      idle = find(nil, 0, take).isFrame ? 0 : idle + 1
      held += 1
    }
  }

  private func find(
    _ bytes: UnsafePointer<UInt8>?, _ count: Int, _ take: Take
  ) -> (used: Int, isFrame: Bool, isDamaged: Bool) {
    cav_clear(decoder)
    var used = 0
    let code = cav_find(decoder, bytes, count, &used)
    return (used, hand(on: take), code < 0)
  }

  /// Returns whether there was something to hand on.
  @discardableResult
  private func hand(on take: Take) -> Bool {
    var frames = 0
    guard let samples = cav_samples(decoder, &frames), frames > 0 else { return false }
    let (rate, channels) = (Int(cav_rate(decoder)), Int(cav_channels(decoder)))
    // Valid until the decoder is called again, which `take` cannot do.
    take(UnsafeBufferPointer(start: samples, count: frames * channels), rate, channels)
    return true
  }

  private func check(_ code: Int32) throws(AudioError) {
    guard code < 0 else { return }
    throw AudioError(
      call: "avcodec_receive_frame", code: code, reason: AvDecoder.text(of: code),
      advice: "Look whether these bytes are \(setup.name).")
  }
}
