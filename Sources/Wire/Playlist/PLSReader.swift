/// Reads `File1=…`, `Title1=…` and `Length1=…` below `[playlist]`, in any case and order.
///
/// The numbers give the order. A number that occurs twice is two entries, and the second `Title` with that number
/// belongs to the second entry. `NumberOfEntries` is not believed, and may be missing.
enum PLSReader {
  private struct Values {
    var files: [ArraySlice<UInt8>] = []
    var titles: [ArraySlice<UInt8>] = []
    var lengths: [ArraySlice<UInt8>] = []
  }

  /// An entry whose texts are pieces of the list.
  struct File {
    var place: ArraySlice<UInt8>
    var title: ArraySlice<UInt8>?
    var length: ArraySlice<UInt8>?

    var item: PlaylistItem {
      var item = PlaylistItem()
      item.places = [Array(place)]
      let title = title.map { Charset.decode(Array($0)) }
      item.title = title?.isEmpty == true ? nil : title
      item.seconds = length.flatMap(PlaylistNumber.seconds)
      return item
    }
  }

  static func items(of lines: PlaylistLines, max: Int) -> [PlaylistItem] {
    files(of: lines.list, max: max).map(\.item)
  }

  /// - Parameter lines: without blanks at their ends.
  static func files(of lines: [ArraySlice<UInt8>], max: Int) -> [File] {
    var values: [Int: Values] = [:]
    for line in lines {
      guard let (key, number, value) = parts(of: line) else { continue }
      if values[number] == nil && values.count == max { continue }
      switch key {
      case .file, .ref: values[number, default: Values()].files.append(value)
      case .title: values[number, default: Values()].titles.append(value)
      case .length: values[number, default: Values()].lengths.append(value)
      }
    }
    let ordered = values.sorted { $0.key < $1.key }.flatMap { files(of: $0.value) }
    return Array(ordered.prefix(max))
  }

  static func isFileLine(_ line: ArraySlice<UInt8>) -> Bool {
    switch parts(of: line)?.key {
    case .file, .ref: true
    case .title, .length, nil: false
    }
  }

  private static func files(of values: Values) -> [File] {
    values.files.enumerated().map { index, place in
      File(
        place: place, title: index < values.titles.count ? values.titles[index] : nil,
        length: index < values.lengths.count ? values.lengths[index] : nil)
    }
  }

  private enum Key: String, CaseIterable {
    case file, title, length
    /// The key in a list that begins with `[Reference]`.
    case ref
  }

  private static func parts(
    of line: ArraySlice<UInt8>
  ) -> (key: Key, number: Int, value: ArraySlice<UInt8>)? {
    guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    let name = String(decoding: ASCII.trimmed(line[..<equals]), as: UTF8.self).lowercased()
    guard let key = Key.allCases.first(where: { name.hasPrefix($0.rawValue) }) else { return nil }
    let digits = name.utf8.dropFirst(key.rawValue.utf8.count)
    // `File=` without a number stands for the only entry.
    guard digits.count <= 9, digits.allSatisfy(ASCII.isDigit) else { return nil }
    let number = digits.isEmpty ? 0 : Int(Substring(digits)) ?? 0
    return (key, number, ASCII.trimmed(line[(equals + 1)...]))
  }
}
