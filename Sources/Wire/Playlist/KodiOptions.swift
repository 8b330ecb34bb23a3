/// Reads what Kodi's lists write behind an address: `URL|User-Agent=VLC%2F3.0&Referer=http://h/`.
///
/// There is no standard. Names and values are escaped as in a query; names that are no header line are for Kodi itself.
enum KodiOptions {
  private static let headersMax = 8
  private static let valueBytesMax = 1024
  private static let names = [
    "user-agent", "referer", "origin", "cookie", "authorization", "accept", "accept-language",
    "range",
  ]

  /// Returns the address and the header lines behind it, `Name: value`. A bar that no option follows is the address's.
  static func split(
    _ line: ArraySlice<UInt8>
  ) -> (address: ArraySlice<UInt8>, headers: [String]) {
    guard let bar = line.firstIndex(of: UInt8(ascii: "|")) else { return (line, []) }
    let parts = line[(bar + 1)...].split(separator: UInt8(ascii: "&"))
    guard let first = parts.first, name(of: first) != nil else { return (line, []) }
    return (line[..<bar], Array(parts.lazy.compactMap(header).prefix(headersMax)))
  }

  private static func name(of part: ArraySlice<UInt8>) -> String? {
    guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    // Kodi writes "!" before a name that it would take for an option of its own.
    let name = ASCII.trimmed(part[..<equals]).drop { $0 == UInt8(ascii: "!") }
    let isToken = name.allSatisfy {
      ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-")
    }
    return !name.isEmpty && isToken ? String(decoding: name, as: UTF8.self) : nil
  }

  private static func header(_ part: ArraySlice<UInt8>) -> String? {
    guard let name = name(of: part), let equals = part.firstIndex(of: UInt8(ascii: "=")),
      names.contains(name.lowercased()) || name.lowercased().hasPrefix("x-")
    else { return nil }
    let value = PercentEncoding.decodedWhereValid(ASCII.trimmed(part[(equals + 1)...]))
    guard !value.isEmpty, value.count <= valueBytesMax, !value.contains(where: ASCII.isControl)
    else { return nil }
    return "\(name): \(String(decoding: value, as: UTF8.self))"
  }
}
