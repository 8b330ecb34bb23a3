import Longwave
import LongwaveAdmin

/// The library's answers as people are shown them.
enum LibraryViews {
  static func status(_ json: JSON, _ times: ShownTimes, width: Int?) -> String {
    let roots = json.items("roots")
    if roots.isEmpty {
      return "no folder of music is named; write library: roots: into the configuration"
    }
    func count(_ name: String) -> String {
      "\(HumanText.grouped(json.number(name) ?? 0)) \(name)"
    }
    let hasReasons = roots.contains { $0.text("reason") != "-" }
    var table = Table(
      [
        .id("ROOT"), .state(rank: 9), .figure("TRACKS", rank: 8), .figure("FILES", rank: 5),
        .figure("MISSING", rank: 6), .figure("PROBLEMS", rank: 4),
        .text("CHANGES SEEN", rank: 2), .text("LAST SCAN", rank: 3),
      ] + (hasReasons ? [.text("WHY", rank: 7)] : []))
    for root in roots {
      var row = [
        root.text("root"), root.text("state"), root.text("tracks"), root.text("files"),
        root.text("missing"), root.text("problems"), seen(root), scan(root, times),
      ]
      if hasReasons { row.append(root.text("reason")) }
      table.add(row)
    }
    return table.text(width: width)
      + "\n\(count("tracks")), \(count("artists")), \(count("albums"))"
  }

  /// - Parameter done: the roots that were looked through by now.
  static func accepted(_ roots: [JSON], _ done: Set<String>) -> String {
    roots.map { root in
      let id = root.text("root")
      guard done.contains(id) else {
        return "\(id): is being looked through; longwave library status says what comes of it"
      }
      guard root.text("reason") == "-" else {
        return "\(id): is still not believed: \(root.text("reason"))"
      }
      func files(_ count: Double) -> String {
        count == 1 ? "1 file" : "\(HumanText.grouped(count)) files"
      }
      let gone = root.number("scan.gone") ?? 0
      let there = "\(files(root.number("files") ?? 0)) there"
      return gone == 0
        ? "\(id): accepted; nothing was gone, \(there)"
        : "\(id): accepted; \(files(gone)) gone and forgotten, \(there)"
    }.joined(separator: "\n")
  }

  private static func seen(_ root: JSON) -> String {
    root["watched"] == .bool(true) ? "at once" : "every \(root.duration("pause"))"
  }

  private static func scan(_ root: JSON, _ times: ShownTimes) -> String {
    if root.number("lookingAt") != nil { return "now: \(root.text("lookingAt")) files so far" }
    guard root["scan"] != nil, root["scan"] != .null else { return "-" }
    return
      "\(root.time("scan.began", times)), \(root.duration("scan.seconds")), \(root.text("scan.added")) new"
  }

  static func problems(_ json: JSON, width: Int?) -> String {
    let problems = json.items("problems")
    if problems.isEmpty { return "every file can be played" }
    var table = Table([.id("ROOT"), .text("FILE", rank: 5), .text("WHY", rank: 9)])
    for one in problems { table.add([one.text("root"), one.text("path"), one.text("reason")]) }
    return table.text(width: width) + more(json)
  }

  static func tracks(_ json: JSON, width: Int?) -> String {
    let tracks = json.items("tracks")
    if tracks.isEmpty { return "nothing is found" }
    var table = Table([
      .id("TRACK"), .text("ARTIST", rank: 7), .text("TITLE", rank: 9), .text("ALBUM", rank: 4),
      .figure("YEAR", rank: 2), .figure("LENGTH", rank: 5), .whole("FORMAT", rank: 1),
      .text("NOTE", rank: 3),
    ])
    for track in tracks {
      table.add([
        track.text("track"), track.text("artist"), track.text("title"), track.text("album"),
        track.text("year"), length(track), format(track), note(track),
      ])
    }
    let total = json.text("total")
    let count = total == "-" ? "more than 1,000 are found" : "\(total) found"
    return table.text(width: width) + "\n\(count)" + more(json)
  }

  static func track(_ json: JSON, _ times: ShownTimes, width: Int?) -> String {
    var rows = [
      ("track", json.text("track")), ("title", json.text("title")), ("artist", json.text("artist")),
      ("album", json.text("album")), ("album artist", json.text("albumArtist")),
      ("disc, number", "\(json.text("disc")), \(json.text("number"))"), ("year", json.text("year")),
      ("genres", json.texts("genres").joined(separator: ", ")), ("length", length(json)),
      (
        "format",
        "\(format(json)), \(json.text("sampleRate")) Hz, \(json.text("channels")) channels"
      ),
      ("loudness", loudness(json)), ("lyrics", json.text("lyrics")),
      ("picture", json["artwork"] == .bool(true) ? "yes" : "no"), ("part of", json.text("partOf")),
      ("added", json.time("added", times)), ("played", played(json, times)), ("note", note(json)),
    ]
    rows.removeAll { ["", "-", "-, -"].contains($0.1) }
    rows += json.items("files").map { file in
      let missing = file.time("missingSince", times)
      let state =
        missing != "-"
        ? ", gone since \(missing)" : file.text("reason") == "-" ? "" : ", \(file.text("reason"))"
      return ("file", "\(file.text("root")): \(file.text("path")), \(file.bytes("bytes"))\(state)")
    }
    return Page.text(rows, width: width)
  }

  static func names(_ json: JSON, _ kind: String, width: Int?) -> String {
    let items = json.items(kind)
    if items.isEmpty { return "there are no \(kind)" }
    var table: Table
    switch kind {
    case "artists":
      table = Table([
        .text("ARTIST", rank: 9), .figure("ALBUMS", rank: 2), .figure("TRACKS", rank: 3),
        .figure("LENGTH", rank: 1),
      ])
      for one in items {
        table.add([
          one.text("artist"), one.text("albums"), one.text("tracks"), one.duration("seconds"),
        ])
      }
    case "albums":
      table = Table([
        .text("ALBUM", rank: 9), .text("ARTIST", rank: 7), .figure("YEAR", rank: 2),
        .figure("TRACKS", rank: 3), .figure("LENGTH", rank: 1),
      ])
      for one in items {
        table.add([
          one.text("album"), one.text("artist"), one.text("year"), one.text("tracks"),
          one.duration("seconds"),
        ])
      }
    default:
      table = Table([.id("ROOT"), .text("FOLDER", rank: 9), .figure("FILES", rank: 3)])
      for one in items { table.add([one.text("root"), one.text("path"), one.text("files")]) }
    }
    // Of a name that is no UTF-8 the text leads nowhere.
    let odd = items.filter { $0.text("pathBytes") != "-" }.map {
      "\nfor \($0.text("path")): --path-bytes=\($0.text("pathBytes"))"
    }
    return table.text(width: width) + odd.joined() + more(json)
  }

  private static func more(_ json: JSON) -> String {
    let next = json.text("next")
    // As a shell takes it, whatever it begins with.
    let quoted = next.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''")
    return next == "-" ? "" : "\nthere is more: --after='\(quoted)'"
  }

  /// As on a record: 10:19.
  private static func length(_ track: JSON) -> String {
    guard let seconds = track.number("seconds") else { return "-" }
    return (track["exact"] == .bool(false) ? "~" : "") + HumanText.clock(seconds)
  }

  private static func played(_ track: JSON, _ times: ShownTimes) -> String {
    let last = track.time("lastPlayed", times)
    if last == "-" { return last }
    let plays = track.text("plays")
    return plays == "1" ? "once, at \(last)" : "\(plays) times, last at \(last)"
  }

  private static func loudness(_ track: JSON) -> String {
    let parts = [
      ("loudness", "LUFS"), ("truePeak", "dBTP at most"), ("gain", "dB of gain, by hand"),
    ].compactMap { name, unit in
      track.number(name).map { "\(JSON.decimal(($0 * 10).rounded() / 10)) \(unit)" }
    }
    return parts.isEmpty ? "-" : parts.joined(separator: ", ")
  }

  private static func format(_ track: JSON) -> String {
    let bitrate = track.text("bitrate")
    return track.text("codec") + (bitrate == "-" ? "" : " \(bitrate)k")
  }

  private static func note(_ track: JSON) -> String {
    if track["excluded"] == .bool(true) { return "excluded" }
    return track.text("reason")
  }
}
