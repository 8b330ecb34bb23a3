import Server

// The files of a recording by their numbers, as they are sent.
extension RecordingEntry {
  /// Returns the file with a number; nil when the recording has none, or has forgotten it.
  ///
  /// The names are the recording's own, so no request can lead elsewhere.
  ///
  /// - Parameter part: number from 1, as the recording's files are listed; nil for the first that is known.
  package func order(part: Int?) -> FileOrder? {
    guard let folder else { return nil }
    let part = part ?? firstPart
    if files.indices.contains(part - firstPart) {
      let name = files[part - firstPart].name
      return FileOrder(folder: folder, names: [name], savedName: name)
    }
    guard let current, part == currentPart else { return nil }
    // The file may have become whole since it was checked, and has another name then.
    let growing = current.isContinued == true ? [] : [current.name + RecordingFile.part]
    return FileOrder(
      folder: folder, names: growing + [current.name], savedName: current.name,
      bytesMax: UInt64(clamping: current.bytes))
  }
}
