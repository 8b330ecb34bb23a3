/// Reads cue sheets: `FILE`, and below it `TRACK` with `TITLE`, `PERFORMER` and `INDEX 01 minutes:seconds:frames`.
///
/// A track begins at its index 01 in the file that stands before it, and ends where the next one begins in that file.
/// One file a track is an ordinary list of files. Source: CDRWIN's manual, "Cue Sheet Commands".
enum CUEReader {
  private struct Track {
    var line: Int
    /// As it is written: `01 AUDIO`.
    var text: ArraySlice<UInt8>
    var isAudio: Bool
    /// The first index that is none.
    var badIndex: ArraySlice<UInt8>?
    var title: String?
    var performer: String?
    var file: ArraySlice<UInt8>?
    var begin: Double?
  }

  static func isCUE(_ lines: TrackListLines) -> Bool {
    var hasFile = false
    for line in lines {
      let words = ASCII.trimmed(line.bytes)
      if words.hasPrefix(ignoringCase: "FILE ") { hasFile = true }
      if hasFile, words.hasPrefix(ignoringCase: "TRACK ") { return true }
    }
    return false
  }

  static func rows(of lines: TrackListLines, max: Int) -> [TrackList.Row] {
    var tracks: [Track] = []
    var file: ArraySlice<UInt8>?
    var performer: String?
    for line in lines {
      let (word, rest) = split(ASCII.trimmed(line.bytes))
      switch word {
      case "file": file = value(rest)
      case "track":
        if tracks.count == max { return rows(of: tracks, performer) }
        let isAudio = split(rest).rest.hasPrefix(ignoringCase: "AUDIO")
        tracks.append(Track(line: line.number, text: rest, isAudio: isAudio))
      case "title" where !tracks.isEmpty: tracks[tracks.count - 1].title = text(rest)
      case "performer":
        if tracks.isEmpty {
          performer = text(rest)
        } else {
          tracks[tracks.count - 1].performer = text(rest)
        }
      case "index":
        if tracks.isEmpty { continue }
        guard let index = index(rest) else {
          tracks[tracks.count - 1].badIndex = tracks[tracks.count - 1].badIndex ?? rest
          continue
        }
        guard index.number == 1 else { continue }
        tracks[tracks.count - 1].file = file
        tracks[tracks.count - 1].begin = index.seconds
      default: break
      }
    }
    return rows(of: tracks, performer)
  }

  /// The most tracks of one file, as CDRWIN has them: each part of a file costs a search through it.
  private static let partsMax = 99

  private static func rows(of tracks: [Track], _ performer: String?) -> [TrackList.Row] {
    var parts: [Int: Int] = [:]
    return tracks.indices.map { index in
      if let file = tracks[index].file { parts[file.startIndex, default: 0] += 1 }
      let count = tracks[index].file.flatMap { parts[$0.startIndex] } ?? 0
      return Result { () throws(TrackListFault) in
        guard count <= partsMax else {
          throw TrackListFault(
            line: tracks[index].line, tracks[index].text,
            "is more than \(partsMax) tracks of one file")
        }
        return try entry(of: tracks, at: index, performer)
      }
    }
  }

  private static func entry(
    of tracks: [Track], at index: Int, _ performer: String?
  ) throws(TrackListFault) -> TrackListEntry {
    let track = tracks[index]
    func fault(_ reason: String) -> TrackListFault {
      TrackListFault(line: track.line, track.text, reason)
    }
    guard track.isAudio else { throw fault("is no track of audio") }
    guard let begin = track.begin else {
      guard let index = track.badIndex else {
        throw fault("has no INDEX 01, which says where it begins")
      }
      let reason = "is no index; write 01 and minutes:seconds:frames"
      throw TrackListFault(line: track.line, index, reason)
    }
    guard let file = track.file else { throw fault("has no FILE before it") }
    var entry = try TrackListEntry(text: file, line: track.line, isReference: false)
    (entry.title, entry.artist) = (track.title, track.performer ?? performer)
    // The same place in the sheet, not the same name: a file may be named twice. A track without an index is nowhere.
    let next = tracks[(index + 1)...].prefix(partsMax).first { $0.begin != nil }
    let end = next?.file?.startIndex == file.startIndex ? next?.begin : nil
    if let end {
      guard end > begin else {
        throw fault("ends before it begins: the next track's INDEX 01 is not later")
      }
      entry.seconds = end - begin
    }
    if begin > 0 || end != nil { entry.part = .init(begin: begin, end: end) }
    return entry
  }

  private static func split(
    _ line: ArraySlice<UInt8>
  ) -> (word: String, rest: ArraySlice<UInt8>) {
    let word = line.prefix { !ASCII.isBlank($0) }
    let name = word.count <= 16 ? String(decoding: word, as: UTF8.self).lowercased() : ""
    return (name, ASCII.trimmed(line[word.endIndex...]))
  }

  /// The first value of a line: what stands between quotation marks, or the first word.
  private static func value(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let quote = UInt8(ascii: "\"")
    let value: ArraySlice<UInt8>
    if rest.first == quote {
      // A name may have a quotation mark in it; the type of the file stands behind the last.
      let inner = rest.dropFirst()
      value = inner[..<(inner.lastIndex(of: quote) ?? inner.endIndex)]
    } else {
      // A name with blanks has no marks in some sheets; the last word is the type of the file.
      let end = rest.lastIndex(where: ASCII.isBlank)
      value = ASCII.trimmed(rest[..<(end ?? rest.endIndex)])
    }
    return value.isEmpty ? nil : value
  }

  private static func text(_ rest: ArraySlice<UInt8>) -> String? {
    let quote = UInt8(ascii: "\"")
    var inner = rest
    if rest.count > 1, rest.first == quote, rest.last == quote {
      inner = rest.dropFirst().dropLast()
    }
    let text = Charset.decode(Array(ASCII.trimmed(inner)))
    return text.isEmpty ? nil : text
  }

  /// Reads `01 04:36:15`; a second has 75 frames.
  private static func index(_ rest: ArraySlice<UInt8>) -> (number: Int, seconds: Double)? {
    let (number, time) = split(rest)
    let parts = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map {
      Int(String(decoding: $0, as: UTF8.self), in: 0...99_999)
    }
    guard let number = Int(number, in: 0...99), parts.count == 3, let minutes = parts[0],
      let seconds = parts[1], let frames = parts[2], seconds < 60, frames < 75
    else { return nil }
    return (number, Double(minutes) * 60 + Double(seconds) + Double(frames) / 75)
  }
}
