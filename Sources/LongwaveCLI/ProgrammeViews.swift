import Longwave
import LongwaveAdmin

/// Programmes as text for people.
enum ProgrammeViews {
  /// What plays, and what comes.
  ///
  /// - Parameter reason: why nothing plays.
  static func page(
    _ json: JSON, reason: String?, _ times: ShownTimes, width: Int? = Terminal.width
  ) -> String {
    var lines = [head(json)]
    if let until = json["part"]?.text("until"), json["part"] != .null {
      lines.append("part of the day until \(times.text(until)): \(json.text("part.play"))")
    }
    if json["live"] != .null {
      let since = times.text(json.text("live.since"))
      lines.append("plays the station \(json.text("live.station")) since \(since)")
    }
    if json.text("joinRefusal") != "-" {
      lines.append("what plays is cut and not joined: \(json.text("joinRefusal"))")
    }
    if let reason, reason != "-" { lines.append(reason.replacing("\n", with: ": ")) }
    let now = playing(json)
    let upcoming = json.items("upcoming")
    if now != nil || !upcoming.isEmpty {
      var table = Table([
        .id(""), .figure("ITEM", rank: 4), .whole("AT", rank: 3), .text("TITLE", rank: 9),
        .figure("LENGTH", rank: 5), .text("WHY", rank: 2),
      ])
      if let now { table.add(row("now", now, times)) }
      for (index, item) in upcoming.enumerated() {
        table.add(row(index == 0 ? "next" : "", item, times))
      }
      lines.append(table.text(width: width))
    }
    let refused = json.number("refused.count") ?? 0
    if refused > 0 {
      let files = refused == 1 ? "1 file is" : "\(HumanText.grouped(refused)) files are"
      lines.append("\(files) left out; --json says which, and why")
    }
    return lines.joined(separator: "\n")
  }

  /// Station, state and rules on one line.
  private static func head(_ json: JSON) -> String {
    "\(json.text("station"))  \(json.text("state"))  \(json.text("play")): \(words(json)); "
      + "cycle \(json.text("cycle")), \(HumanText.grouped(json.number("left") ?? 0)) of "
      + "\(HumanText.grouped(json.number("total") ?? 0)) left"
  }

  static func rules(_ json: JSON) -> String {
    let changed = json.texts("changed")
    let end = changed.isEmpty ? "as defined" : "changed: \(changed.joined(separator: ", "))"
    let join = json.text("join") == "-" ? "" : ", join \(json.text("join"))"
    let fade = json.text("join") == "fade" ? " of \(json.duration("fade"))" : ""
    let apart = ["artist", "title", "album"].filter { json.number("separate.\($0)") ?? 0 > 0 }
      .map { "\($0) \(json.duration("separate.\($0)"))" }
    let separate = apart.isEmpty ? "" : ", apart: \(apart.joined(separator: ", "))"
    let loudness = json.text("loudness") == "-" ? "" : ", loudness \(json.text("loudness")) LUFS"
    return "\(json.text("station")): \(words(json))\(join)\(fade)\(separate)\(loudness) (\(end))"
  }

  private static func words(_ json: JSON) -> String {
    let orders = ["sequence": "in order", "shuffle": "shuffled", "newest": "newest first"]
    let order = orders[json.text("order")] ?? json.text("order")
    return "\(order), repeat \(json.text("repeat"))"
  }

  private static func row(_ word: String, _ item: JSON, _ times: ShownTimes) -> [String] {
    return [
      word, item.text("item"), timeOfDay(times.text(item.text("at"))), item.titleLine,
      item.number("seconds").map(HumanText.clock) ?? "-", why(item),
    ]
  }

  private static func playing(_ json: JSON) -> JSON? {
    // nil would be JSON's null.
    json["now"] == .null ? JSON?.none : json["now"]
  }

  private static func timeOfDay(_ time: String) -> String {
    time.split(separator: " ").last.map(String.init) ?? "-"
  }

  private static func why(_ item: JSON) -> String {
    var words = [item.text(item.text("why") == "insert" ? "rule" : "why")]
    if let position = item.number("position") { words.append("\(HumanText.clock(position)) in") }
    let near = item.texts("relaxed")
    if !near.isEmpty { words.append("\(near.joined(separator: ", ")) nearer than wanted") }
    if item.text("ready") == "failed" { words.append("cannot be played") }
    return words.joined(separator: ", ")
  }

  /// What a command has put on air.
  static func moved(_ json: JSON, _ word: String) -> String {
    let now = playing(json) ?? json.items("upcoming").first
    let title = now?.titleLine ?? "nothing"
    let when =
      json.number("heardAfter").map { ", heard in \(HumanText.grouped($0)) s" }
      ?? ", when somebody listens"
    return "\(word) \(json.text("station")): \(title)\(when)"
  }

  static func plan(_ json: JSON, _ times: ShownTimes, width: Int? = Terminal.width) -> String {
    let items = json.items("items")
    var table = Table([
      .whole("AT", rank: 8), .text("TITLE", rank: 9), .figure("LENGTH", rank: 5),
      .text("WHY", rank: 2), .figure("ITEM", rank: 1),
    ])
    let isLong = json.text("from").prefix(10) != json.text("to").prefix(10)
    for item in items {
      let at = times.text(item.text("at"))
      table.add([
        isLong ? at : timeOfDay(at), item.titleLine,
        item.number("seconds").map(HumanText.clock) ?? "-",
        why(item), item.text("item"),
      ])
    }
    var lines = items.isEmpty ? [] : [table.text(width: width)]
    let missed = json.items("missed")
    lines += missed.map {
      let reason = $0.text("reason") == "empty" ? "has nothing to play" : "no border comes in time"
      return "missed: \($0.text("source")) \($0.text("rule")), due "
        + "\(times.text($0.text("due"))): \(reason)"
    }
    let relaxed = ["artist", "title", "album"].compactMap { rule -> String? in
      json.number("relaxed.\(rule)").map {
        "\(rule) nearer than wanted \(HumanText.grouped($0)) times"
      }
    }
    let more = json.text("truncated") == "true" ? ", and more" : ""
    let sums =
      ["\(HumanText.grouped(Double(items.count))) items\(more)", "\(missed.count) inserts missed"]
      + (relaxed.isEmpty ? ["nothing too near"] : relaxed)
      + ["\(json.duration("silent")) of silence"]
    lines.append(sums.joined(separator: "; "))
    return lines.joined(separator: "\n")
  }
}
