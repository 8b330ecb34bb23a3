import Server

// The files of a recording by their numbers, as they are sent.
extension RecordingEntry {
  /// Returns the file with a number; nil when the recording has none, or has forgotten it.
  ///
  /// The names are the recording's own, so no request can lead elsewhere.
  ///
  /// - Parameters:
  ///   - part: number from 1, as the recording's files are listed; nil for the first that is known.
  ///   - isAsLeft: whether a whole file is sent only while it is as the recording left it: anybody may have written
  ///     another one of its name.
  package func order(part: Int?, isAsLeft: Bool = false) -> FileOrder? {
    guard let folder else { return nil }
    let part = part ?? firstPart
    if files.indices.contains(part - firstPart) {
      let file = files[part - firstPart]
      var order = FileOrder(folder: folder, names: [file.name], savedName: file.name)
      if isAsLeft, let modified = file.modified {
        order.left = .init(bytes: UInt64(clamping: file.bytes), modified: modified)
      }
      return order
    }
    guard let current, part == currentPart else { return nil }
    // The file may have become whole since it was checked, and has another name then.
    let growing = current.isContinued == true ? [] : [current.name + RecordingFile.part]
    return FileOrder(
      folder: folder, names: growing + [current.name], savedName: current.name,
      bytesMax: UInt64(clamping: current.bytes))
  }
}
