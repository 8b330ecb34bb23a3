// What monitors and scripts of Icecast and SHOUTcast ask, and what listeners and sources do.
extension Operation {
  static let monitors = shoutcastPages.flatMap(\.operations) + icecastPages.flatMap(\.operations)

  /// The longest title in percent signs, and what goes with it.
  private static let formBytesMax = 16 * 1024

  /// A page, perhaps with several spellings. All of them answer GET, as they always did, and POST with the query as a
  /// form, as libshout asks.
  private struct Page {
    let page: MonitorPage
    let name: String
    let summary: String
    /// The part of the operation's name that tells the spellings apart, and the path.
    let paths: [(suffix: String, path: PathTemplate)]
    var audience = Audience.everybody
    var parameters: [Parameter] = []
    let answer: Answer
    var errors: [Int] = []

    var operations: [Operation] {
      paths.flatMap { suffix, path in
        [("GET", ""), ("POST", "ByForm")].map { method, ending in
          Operation(
            method, path, name + suffix + ending, summary, by: audience,
            method == "GET" ? parameters : [], takes: method == "GET" ? nil : "Form",
            upTo: formBytesMax,
            answers: answer, errors: errors
          ) { [page] _ in .monitor(page) }
        }
      }
    }
  }

  private static let sid = Parameter(
    "sid", Schema.text, "SHOUTcast's number of the station; the first one unless given.")
  private static let json = Parameter(
    "json", Schema.text, "1: as JSON, or as a call of the function that callback names.")
  private static let callback = Parameter("callback", Schema.text, "A function's name, for JSONP.")
  private static let mount = Parameter("mount", Schema.text, "The station's path, such as /jazz.")
  private static let neededMount = Parameter(
    "mount", Schema.text, "The station's path, such as /jazz.", isRequired: true)
  /// An object or a list, as the page had it.
  private static let xmlOrJSON = Answer(
    status: 200,
    content: [
      ("text/xml", Schema.text), ("application/json", ["type": ["object", "array"]]),
      ("text/javascript", Schema.text),
    ])

  private static let shoutcastPages: [Page] = [
    Page(
      page: .seven, name: "seven", summary: "SHOUTcast's seven values.",
      paths: [("", "/7.html")], parameters: [sid], answer: .text("text/html")),
    Page(
      page: .stats, name: "shoutcastStats", summary: "SHOUTcast's figures of one station.",
      paths: [("", "/stats")], parameters: [sid, json, callback], answer: xmlOrJSON, errors: [400]),
    Page(
      page: .statistics, name: "shoutcastStatistics",
      summary: "SHOUTcast's figures of the server and all stations.",
      paths: [("", "/statistics")], parameters: [json, callback], answer: xmlOrJSON),
    Page(
      page: .currentSong, name: "currentSong", summary: "What is playing, as plain text.",
      paths: [("", "/currentsong")], parameters: [sid], answer: .text("text/plain"), errors: [400]),
    Page(
      page: .nextSong, name: "nextSong", summary: "Always empty: only the station knows.",
      paths: [("", "/nextsong")], parameters: [sid], answer: .text("text/plain"), errors: [400]),
    Page(
      page: .played, name: "played", summary: "What was played, as SHOUTcast tells it.",
      paths: [("", "/played"), ("Page", "/played.html")],
      parameters: [sid, Parameter("type", Schema.text, "json: as JSON."), callback],
      answer: xmlOrJSON, errors: [400]),
    Page(
      page: .adminCGI, name: "adminCGI",
      summary:
        "SHOUTcast's way to say what is playing, with the admin token or a source's password.",
      paths: [("", "/admin.cgi"), ("Icecast", "/admin/admin.cgi")], audience: .administrators,
      parameters: [
        Parameter("pass", Schema.text, "The password, where no Authorization is sent."), sid, mount,
      ] + announcement, answer: .text("text/xml"), errors: [400, 404, 409]),
  ]

  private static let announcement = [
    Parameter("mode", ["enum": ["updinfo"]], "What to do; there is nothing else."),
    Parameter("song", Schema.text, "What is playing; or artist and title."),
    Parameter("artist", Schema.text, "Who is playing."),
    Parameter("title", Schema.text, "What is playing."),
    Parameter("url", Schema.text, "A page or a picture that belongs to it."),
  ]

  private static let icecastPages: [Page] = [
    Page(
      page: .statusJSON, name: "icecastStatus", summary: "Icecast's status, as its version 2.4.",
      paths: [("", "/status-json.xsl")], parameters: [mount], answer: .json("IcecastStatus"),
      errors: [404]),
    admin(
      .adminStats, "icecastStats", "Icecast's figures.",
      [("", "/admin/stats"), ("File", "/admin/stats.xml")], [mount], [404]),
    admin(.listMounts, "listMounts", "The mounts.", [("", "/admin/listmounts")]),
    admin(
      .listClients, "listClients", "Who listens to a mount.", [("", "/admin/listclients")],
      [neededMount], [400, 404]),
    admin(
      .moveClients, "moveClients", "Lets listeners go on with another station.",
      [("", "/admin/moveclients")],
      [
        neededMount,
        Parameter("destination", Schema.text, "Where to, such as /rock.", isRequired: true),
        Parameter("id", Schema.text, "Only this listener."),
      ], [400, 404, 409]),
    admin(
      .killClient, "killClient", "Ends a listener.", [("", "/admin/killclient")],
      [neededMount, Parameter("id", Schema.text, "Which one.", isRequired: true)], [400, 404]),
    admin(
      .killSource, "killSource", "Stops a station.", [("", "/admin/killsource")], [neededMount],
      [400, 404]),
    admin(
      .metadata, "updateMetadata",
      "Icecast's way to say what is playing, with the admin token or a source's password.",
      [("", "/admin/metadata")], [mount] + announcement, [400, 404, 409]),
    Page(
      page: .streamList, name: "streamList", summary: "The mounts, for a relaying Icecast.",
      paths: [("", "/admin/streamlist"), ("File", "/admin/streamlist.txt")],
      audience: .administrators, answer: .text("text/plain")),
  ]

  private static func admin(
    _ page: MonitorPage, _ name: String, _ summary: String,
    _ paths: [(suffix: String, path: PathTemplate)], _ parameters: [Parameter] = [],
    _ errors: [Int] = []
  ) -> Page {
    Page(
      page: page, name: name, summary: summary, paths: paths, audience: .administrators,
      parameters: parameters, answer: .text("text/xml"), errors: errors)
  }
}

// What the loops answer themselves: audio, playlists, sources.
extension Operation {
  static let streams: [Operation] =
    [
      Operation(
        "GET", "/{station}", "listen",
        "The station's audio, without end; further paths of a station, and /ID.mp3 where that is its codec, are the same. "
          + "A parameter that nobody knows is let be, a slip of one of these (offfset) is 400.",
        place + [
          Parameter(
            "session", Schema.text,
            "A name of the client's own (8 to 64 of A-Z a-z 0-9 - _): coming back with it goes on where it stopped."
          ),
          Parameter("burst", Schema.text, "How much is sent at once on joining, 0 to 60 s."),
          Parameter("Icy-MetaData", in: .header, Schema.text, "1: with titles in the stream."),
        ],
        answers: Answer(
          status: 200,
          content: ["audio/mpeg", "audio/aac", "application/ogg"].map { ($0, [:]) }),
        errors: [400, 403, 404, 429, 503], route: nil),
      Operation(
        "PUT", "/{station}", "push",
        "A source's audio, as long as it lasts; encoders may say SOURCE instead of PUT.",
        takes: "Audio", answers: Answer(status: 200, content: []),
        errors: [400, 401, 403, 404, 409, 415], route: nil),
      Operation(
        "GET", "/{station}/clip", "clip",
        "A file cut from the window: the packets that begin in [from, to) by air time, as far as the format stays. "
          + "With ranges; the tag is the same for the same packets.",
        [
          Parameter(
            "from", Schema.text,
            "RFC 3339, Unix seconds, 18:00 (the station's last), or a time before now: -10m.",
            isRequired: true),
          Parameter("to", Schema.text, "The same; now unless given."),
          Parameter("Range", in: .header, Schema.text, "Parts of it, answered by 206."),
        ],
        answers: Answer(
          status: 200,
          content: ["audio/mpeg", "audio/aac", "audio/ogg"].map { ($0, [:]) }),
        errors: [400, 403, 404, 416, 503], route: nil),
      Operation(
        "GET", "/{station}/{file}", "file",
        "A file of a station that serves some, at any depth (/ID/a/b.mp3), or /ID where the station is one file: its "
          + "bytes, with ranges, or the packets of a part of it.",
        [
          Parameter(
            "at", Schema.text,
            "Where in the file to begin: seconds, or such as 5m; at the first packet from there on."
          ),
          Parameter("from", Schema.text, "The same, with to or loop."),
          Parameter("to", Schema.text, "Packets that begin there or later are not sent."),
          Parameter("loop", Schema.text, "1: from the beginning of the part again, for ever."),
          Parameter("Range", in: .header, Schema.text, "Parts of it, answered by 206."),
        ],
        answers: Answer(
          status: 200,
          content: ["audio/mpeg", "audio/aac", "audio/ogg"].map { ($0, [:]) }),
        errors: [400, 403, 404, 416, 429, 503], route: nil),
    ] + ["m3u", "pls", "xspf", "asx"].map(playlist)

  private static let place = [
    Parameter(
      "offset", Schema.text, "How far behind live: seconds, or such as 5m or 1h30m; excludes at."),
    Parameter(
      "at", Schema.text,
      "From a moment on: RFC 3339, Unix seconds, 18:00 (the station's last), -10m, or track-start; excludes offset."
    ),
  ]

  private static func playlist(_ kind: String) -> Operation {
    let mediaType =
      ["m3u": "audio/x-mpegurl", "pls": "audio/x-scpls", "xspf": "application/xspf+xml"][kind]
      ?? "video/x-ms-asf"
    return Operation(
      "GET", PathTemplate(stringLiteral: "/{station}.\(kind)"), "\(kind)Playlist",
      "A playlist with the station's stream, which is given the query of this request.", place,
      answers: .text(mediaType), errors: [404], route: nil)
  }
}
