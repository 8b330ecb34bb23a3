/// The comments in an Ogg stream's second header packet, alike in all codecs (Vorbis I §5).
public struct VorbisComments: Hashable, Sendable {
  public struct Field: Hashable, Sendable {
    /// The key in upper case.
    public var key: String
    public var value: String

    public init(key: String, value: String) {
      self.key = key
      self.value = value
    }

    /// The field's length in a packet; it may be three times the length of the bytes that the field was decoded from.
    fileprivate var bytes: Int { key.utf8.count + 1 + value.utf8.count }
  }

  public var vendor: String
  public var fields: [Field]

  public init(vendor: String = "Longwave", fields: [Field] = []) {
    self.vendor = vendor
    self.fields = fields
  }

  // Pictures come as comments of up to a megabyte, which a listener would get at every join.
  private static let valueBytesMax = 4096
  private static let fieldsMax = 64
  private static let bytesMax = 32 * 1024
  /// The most bytes that are decoded, even if their text then proves too long.
  private static let bytesReadMax = 4 * bytesMax
  /// The most bytes of a key that is read.
  private static let keyBytesMax = 64

  /// Reads the comments from the first byte after the codec's own mark. Long keys and values are left out, and so are
  /// fields beyond the 64th or beyond 32 KiB.
  /// - Returns: Nil where a length leads beyond the packet.
  init?(_ packet: Span<UInt8>, at offset: Int) {
    var place = offset
    func nextRange() -> Range<Int>? {
      guard place + 4 <= packet.count else { return nil }
      let count = Int(packet.littleEndian(0..<4, at: place))
      place += 4
      guard count <= packet.count - place else { return nil }
      defer { place += count }
      return place..<place + count
    }
    guard let vendor = nextRange(), place + 4 <= packet.count else { return nil }
    self.init(vendor: packet.text(vendor.prefix(Self.valueBytesMax)))
    let count = Int(packet.littleEndian(0..<4, at: place))
    place += 4
    var (left, unread) = (Self.bytesMax, Self.bytesReadMax)
    for _ in 0..<count {
      guard let range = nextRange() else { return nil }
      guard range.count <= min(Self.valueBytesMax, unread), fields.count < Self.fieldsMax,
        let key = Self.key(of: packet, range)
      else { continue }
      unread -= range.count
      let field = Field(
        key: packet.text(key).uppercased(),
        value: packet.text(key.upperBound + 1..<range.upperBound))
      if field.bytes > left || Self.isPicture(field.key) { continue }
      left -= field.bytes
      fields.append(field)
    }
  }

  /// Returns the place of a comment's key; nil without a key. Nothing is decoded before the key is found.
  private static func key(of packet: Span<UInt8>, _ comment: Range<Int>) -> Range<Int>? {
    for place in comment.prefix(keyBytesMax + 1) where packet[place] == UInt8(ascii: "=") {
      return comment.lowerBound..<place
    }
    return nil
  }

  private static func isPicture(_ key: String) -> Bool {
    key == "METADATA_BLOCK_PICTURE" || key == "COVERART"
  }

  /// All values of a key, joined with commas; nil without one.
  public subscript(key: String) -> String? {
    let values = fields.filter { $0.key == key && !$0.value.isEmpty }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// The title that the comments name; nil without one. Control characters are removed.
  public var title: Title? {
    func line(_ key: String) -> String? { self[key].map { Charset.decode(Array($0.utf8)) } }
    let (artist, title) = (line("ARTIST"), line("TITLE"))
    guard let text = title ?? artist else { return nil }
    guard let artist, let title else { return Title(text: text) }
    return Title(text: "\(artist) - \(title)", parts: TitleParts(artist: artist, title: title))
  }

  /// Makes comments that say only what is playing.
  public init(_ title: Title) {
    self.init()
    if let artist = title.parts?.artist { fields.append(Field(key: "ARTIST", value: artist)) }
    let text = title.parts?.title ?? title.text
    if !text.isEmpty { fields.append(Field(key: "TITLE", value: text)) }
  }

  /// The comments as they stand in a packet, after the codec's own mark.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func put(_ number: Int) {
      for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    func put(_ text: String) {
      put(text.utf8.count)
      bytes += text.utf8
    }
    put(vendor)
    put(fields.count)
    for field in fields { put("\(field.key)=\(field.value)") }
    return bytes
  }
}

extension Span<UInt8> {
  /// Decodes UTF-8, as the standard demands; old encoders write in the charset of their machine.
  fileprivate func text(_ range: Range<Int>) -> String {
    let bytes = extracting(range)
    let text = bytes.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
    return text ?? Charset.decode(bytes)
  }
}
