extension Oddity {
  /// The table's parts, in the order in which an answer is read.
  static let sections: [(title: String, rows: [Oddity])] = [
    ("The first line and the head's shape", heads),
    ("Header fields", fields),
    ("Redirects", redirects),
    ("Playlists", playlists),
    ("Playlists that lead nowhere", badPlaylists),
    ("What the audio is", types),
    ("Bodies", bodies),
    ("Framing and pace", framing),
    ("Ogg: pages", ogg),
    ("Ogg: links and headers", oggLinks),
    ("Titles", titles),
    ("Titles' bytes", titleBytes),
    ("Refusals", refusals),
    ("The way there", network),
  ]
}

/// `Sources/UPSTREAMS.md`, made of the rows.
enum OddityTable {
  static var text: String {
    var text = """
      # What upstreams do, and what Longwave does then

      `OddityTests` (Tests/IngestTests/Oddities) runs each row against a local upstream that does it, with the real
      libcurl; the last column is the name of its case there. That test writes the table:
      `LONGWAVE_WRITE_DOCS=1 swift test --filter OddityTests`.

      "Refused" is an event of the kind named, and a state with the same reason. The station tries its other upstreams,
      and this one again after 0.5 to 30 s, for ever.

      The waits under "Refusals" are those of an upstream that has not played yet. One that has is expected back: for 5
      minutes after its last audio it is tried again 0.5 to 0.75 s after each attempt. Where it answers 401, 403, 404 or
      410, nothing, or what is no audio, that goes on for 30 s after its last audio; the station is `connecting` meanwhile.
      Then the station is `failed`, and tries every 30 s. Of several upstreams each has to answer so.

      """
    for section in Oddity.sections {
      text += "\n## \(section.title)\n\n| An upstream that … | Longwave | case |\n|---|---|---|\n"
      for row in section.rows { text += "| \(row.upstream) | \(row.relay) | `\(row.id)` |\n" }
    }
    return text
  }
}
