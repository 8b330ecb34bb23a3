/// The lines of a document that may be a playlist: trimmed, without blank lines, for any kind of line end.
struct PlaylistLines {
  /// False for bytes that cannot be text: audio, images, archives.
  let isText: Bool
  let list: [ArraySlice<UInt8>]
  /// The whole text, without a byte order mark.
  private(set) var text: ArraySlice<UInt8> = []

  /// - Parameter max: The number of bytes that are read; a last line that is cut off there is not used.
  init(_ bytes: [UInt8], max: Int) {
    // 0x00 ends the texts of some programs.
    var text = bytes.prefix(max)
    if let plain = UTF16Text.utf8(Array(text)) { text = plain[...] }
    text = text[..<(text.lastIndex { $0 != 0 }.map { $0 + 1 } ?? text.startIndex)]
    isText = Self.isText(text)
    guard isText else {
      list = []
      return
    }
    if bytes.count > max { text = Self.wholeLines(text) }
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    self.text = text
    list = text.split { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn || $0 == 0x1A }
      .map(ASCII.trimmed)
      .filter { !$0.isEmpty }
  }

  // Data that is not text has a NUL or another control character in its first bytes, but not always in its very first
  // four. 0x1A ends old DOS files.
  private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
    !isAudio(bytes)
      && bytes.allSatisfy { byte in
        !ASCII.isControl(byte) || (0x09...0x0D).contains(byte) || byte == 0x1A
      }
  }

  /// Whether bytes begin as audio does. MPEG and ADTS frames begin with 0xFF, which no text has.
  static func isAudio(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.first == 0xFF
      || ["ID3", "OggS", "fLaC", "RIFF"].contains { bytes.starts(with: $0.utf8) }
  }

  private static func wholeLines(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let end = text.lastIndex { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn }
    return end.map { text[...$0] } ?? []
  }
}

extension ArraySlice<UInt8> {
  func hasPrefix(ignoringCase prefix: StaticString) -> Bool {
    let wanted = "\(prefix)".utf8
    return count >= wanted.count
      && zip(self, wanted).allSatisfy { ASCII.lowercased($0) == ASCII.lowercased($1) }
  }
}

extension PlaylistEntry {
  /// Makes an entry from a playlist's line; nil where it leads to nothing that can be pulled.
  ///
  /// Bytes that no URL can have are escaped unchanged, in whatever charset they are: the server that wrote them knows
  /// it.
  init?(line: ArraySlice<UInt8>, base: URLReference) {
    let (address, headers) = KodiOptions.split(line)
    guard let url = try? Self.url(of: address, base: base) else { return nil }
    self.init(url: url)
    self.headers = headers
  }

  static func url(
    of line: ArraySlice<UInt8>, base: URLReference
  ) throws(URLText.Problem) -> String {
    var line = ASCII.trimmed(line)
    guard line.count <= URLText.bytesMax else { throw .tooLong }
    let quote = UInt8(ascii: "\"")
    if line.count > 2, line.first == quote, line.last == quote {
      line = line.dropFirst().dropLast()
    }
    guard !line.isEmpty else { throw .notWeb }
    let reference = PercentEncoding.encoded(line, keeping: PercentEncoding.isURLByte)
    var target = URLReference(reference).resolved(against: base)
    if let scheme = target.scheme, URLText.isICY(scheme) { target.scheme = "http" }
    guard let scheme = target.scheme?.lowercased(), scheme == "http" || scheme == "https",
      target.authority?.isEmpty == false
    else { throw .notWeb }
    let url = target.text
    guard url.utf8.count <= URLText.bytesMax else { throw .tooLong }
    return url
  }
}
