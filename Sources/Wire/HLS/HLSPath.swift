/// What a path behind a station's `/hls/` asks for.
public enum HLSPath: Hashable, Sendable {
  /// The playlist of the qualities, `live.m3u8`.
  case multivariant
  /// The station's own playlist, `main.m3u8`.
  case media
  /// A piece of the window, `clip.m3u8`.
  case clip
  /// A piece of audio, or what a decoder needs before it.
  case piece(PieceName, seal: Seal?)

  /// The part of a path that lets its bearer have segments: `sEXPIRY-MAC`, both in hexadecimal digits.
  public struct Seal: Hashable, Sendable {
    /// Seconds since 1970; within `Bounds.unixSeconds`.
    public let expiry: Int64
    /// 64 bits of a code over station and expiry.
    public let code: UInt64

    /// - Parameter expiry: limited to `Bounds.unixSeconds`, and more than 0.
    public init(expiry: Int64, code: UInt64) {
      self.expiry = max(1, min(expiry, Bounds.unixSeconds.upperBound))
      self.code = code
    }

    fileprivate init?(reading reader: inout NameReader) {
      guard let expiry = reader.hexadecimal(), expiry <= UInt64(Bounds.unixSeconds.upperBound),
        reader.read("-"), let code = reader.hexadecimal(digits: 16), reader.read("/")
      else { return nil }
      self.init(expiry: Int64(expiry), code: code)
    }

    /// The part of the path, with the slash behind it.
    public var text: String {
      var bytes: [UInt8] = []
      bytes.append(hexadecimal: code, digits: 16)
      return "s\(String(expiry, radix: 16))-\(String(decoding: bytes, as: UTF8.self))/"
    }
  }

  /// The longest path is a sealed span of 19 digits twice.
  private static let bytesMax = 128

  /// Reads the bytes behind `/hls/`, decoded; nil for what is no name of anything.
  public init?(_ path: some Collection<UInt8>) {
    guard path.count <= Self.bytesMax else { return nil }
    var reader = NameReader(Array(path))
    switch reader.rest {
    case "live.m3u8": self = .multivariant
    case "main.m3u8": self = .media
    case "clip.m3u8": self = .clip
    default:
      var seal: Seal?
      if reader.read("s") {
        seal = Seal(reading: &reader)
        if seal == nil { return nil }
      }
      guard let name = PieceName(reading: &reader) else { return nil }
      self = .piece(name, seal: seal)
    }
  }
}
