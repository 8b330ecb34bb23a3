import Wire

/// What an upstream says about itself in its response.
public struct UpstreamHeaders: Hashable, Sendable {
  /// One header line.
  public struct Field: Hashable, Sendable {
    /// As sent; compare without regard to case.
    public var name: String
    public var value: String
  }

  public var name: String?
  public var genre: String?
  public var url: String?
  public var description: String?
  /// kbit/s, as announced.
  public var bitrate: Int?
  /// Content-Type without parameters, lower case.
  public var mediaType: String?
  /// Audio bytes between two ICY blocks; nil for none.
  public var metaint: Int?
  /// A metaint outside 1...1 MiB was announced; the body is read as not interleaved.
  public var metaintIgnored: Int?
  /// nil when the body ends with the connection.
  public var contentLength: Int?
  public var fields: [Field]

  // What is seen in the wild lies between 256 and 65536.
  static let metaintMax = 1 << 20

  init(_ lines: [(name: String, value: [UInt8])], charset: Charset) {
    fields = lines.map { line in
      Field(name: line.name, value: Charset.decode(line.value, fallback: charset))
    }
    name = Self.text("icy-name", "ice-name", in: fields)
    genre = Self.text("icy-genre", "ice-genre", in: fields)
    url = Self.text("icy-url", "ice-url", in: fields)
    description = Self.text("icy-description", "ice-description", in: fields)
    bitrate = Self.text("icy-br", "ice-bitrate", in: fields).flatMap(Self.leadingNumber)
    mediaType = Self.text("content-type", in: fields).flatMap(Self.mediaType)
    contentLength = Self.text("content-length", in: fields).flatMap { Int($0) }
    switch Self.text("icy-metaint", in: fields).flatMap({ Int($0) }) {
    case nil, 0: break
    case .some(let metaint) where (1...Self.metaintMax).contains(metaint): self.metaint = metaint
    case .some(let metaint): metaintIgnored = metaint
    }
  }

  private static func text(_ names: String..., in fields: [Field]) -> String? {
    for name in names {
      if let field = fields.first(where: { $0.name.lowercased() == name }), field.value != "" {
        return field.value
      }
    }
    return nil
  }

  // "128", and as some relays send it "128,128" or "128 kbps".
  private static func leadingNumber(_ text: String) -> Int? {
    Int(text.prefix { $0.isASCII && $0.isNumber })
  }

  private static func mediaType(_ text: String) -> String? {
    let type = text.split(separator: ";").first.map { $0.lowercased().filter { $0 != " " } }
    return type == "" ? nil : type
  }

  /// What the bytes are said to be; a hint for the scanner and nothing more.
  var codecHint: Codec? {
    switch mediaType {
    case "audio/mpeg", "audio/mp3", "audio/mpeg3", "audio/x-mpeg": .mp3
    case "audio/aac", "audio/aacp", "audio/x-aac", "audio/mp4a-latm": .aac
    default: nil
    }
  }
}
