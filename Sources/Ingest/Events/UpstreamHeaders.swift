import Wire

/// An upstream's description of itself, from its response.
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
  /// The URL of a picture.
  public var logo: String?
  /// kbit/s, as announced.
  public var bitrate: Int?
  /// Content-Type without parameters, lower case.
  public var mediaType: String?
  /// Hz, as announced.
  public var sampleRate: Int?
  /// The number of channels, as announced.
  public var channels: Int?
  /// Audio bytes between two ICY blocks; nil for none.
  public var metaint: Int?
  /// An announced metaint outside 1...1 MiB; the body is then read as not interleaved.
  public var metaintIgnored: Int?
  /// The length of the body in bytes; nil if the body ends with the connection.
  public var contentLength: UInt64?
  /// Whether the response has a field that only stations send.
  var isOfStation: Bool { name != nil || bitrate != nil || metaint != nil }
  /// A relay's report of its stream's place in its log; nil for an upstream that is no relay.
  var relay: RelayHead?
  /// The value of Content-Encoding, whatever it says.
  var coding: String?
  /// Further fields for players, which the relay passes on: `icy-country-code` and the like.
  public var passedOn: [Field] = []
  public var fields: [Field]

  // Real metaints lie between 256 and 65536.
  static let metaintMax = 1 << 20

  /// - Parameter text: turns a value's bytes into text, cleaned of controls.
  init(_ lines: [(name: String, value: [UInt8])], text: ([UInt8]) -> String) {
    fields = lines.map { Field(name: $0.name, value: text($0.value)) }
    let said = UpstreamIdentity(fields)
    name = said["icy-name"]
    genre = said["icy-genre"]
    url = said["icy-url"].map(URLText.webLink).flatMap { $0.isEmpty ? nil : $0 }
    description = said["icy-description"]
    logo = said["icy-logo"]
    let info = said["ice-audio-info"]
    bitrate = (said["icy-br"] ?? Self.value("bitrate", in: info))
      .flatMap { Self.leadingNumber($0, in: Bounds.bitrates) }
    sampleRate = (said["icy-sr"] ?? Self.value("samplerate", in: info))
      .flatMap { Self.leadingNumber($0, in: Bounds.sampleRates) }
    channels = Self.value("channels", in: info)
      .flatMap { Self.leadingNumber($0, in: Bounds.channels) }
    passedOn = said.passedOn
    mediaType = said["content-type"].flatMap(Self.mediaType)
    coding = said["content-encoding"]
    relay = RelayHead(said)
    contentLength = said["content-length"].flatMap { UInt64($0) }
    switch said["icy-metaint"].flatMap(Self.leadingInteger) {
    case nil, 0: break
    case .some(let metaint) where (1...Self.metaintMax).contains(metaint): self.metaint = metaint
    case .some(let metaint): metaintIgnored = metaint
    }
  }

  /// The seconds that a Retry-After line asks for; nil without one, and for a date.
  static func retryAfter(in fields: [TransferField]) -> Double? {
    let field = fields.first { $0.name.lowercased() == "retry-after" }
    return field.flatMap { UInt32(String(decoding: $0.value, as: UTF8.self)) }.map(Double.init)
  }

  // Reads "samplerate=44100;bitrate=128;channels=2"; keys may begin with "ice-".
  private static func value(_ key: String, in info: String?) -> String? {
    for pair in (info ?? "").split(separator: ";") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0] == key || parts[0] == "ice-" + key else { continue }
      return String(parts[1])
    }
    return nil
  }

  // Reads "8000", and "8000, 8000" or "8000;" as proxies make it of two lines; nil without a number.
  private static func leadingInteger(_ text: String) -> Int? {
    let sign = text.hasPrefix("-") ? "-" : ""
    return Int(sign + text.dropFirst(sign.count).prefix { $0.isASCII && $0.isNumber })
  }

  // Reads "128", and "128,128" or "128 kbps" as some relays send it; nil for impossible numbers.
  private static func leadingNumber(_ text: String, in range: ClosedRange<Int>) -> Int? {
    Int(text.prefix { $0.isASCII && $0.isNumber }, in: range)
  }

  private static func mediaType(_ text: String) -> String? {
    let type = text.split(separator: ";").first.map { $0.lowercased().filter { $0 != " " } }
    return type == "" ? nil : type
  }

  /// The upstream's description of its audio.
  public var announcement: ShownFormat.Announcement {
    .init(mediaType: mediaType, sampleRate: sampleRate, channels: channels)
  }

  /// The codec announced for the body; only a hint for the scanner.
  var codecHint: Codec? {
    switch mediaType {
    case "audio/mpeg", "audio/mp3", "audio/mpeg3", "audio/x-mpeg": .mp3
    case "audio/aac", "audio/aacp", "audio/x-aac", "audio/mp4a-latm": .aac
    // The type stands for any codec in Ogg; the stream itself tells which.
    case "application/ogg", "audio/ogg", "audio/x-ogg", "application/x-ogg", "audio/opus",
      "audio/vorbis", "audio/speex", "audio/x-speex", "audio/x-vorbis+ogg", "audio/x-opus+ogg",
      "audio/x-flac+ogg":
      .vorbis
    default: nil
    }
  }
}
