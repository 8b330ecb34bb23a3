import Longwave
import Server
import Timeshift
import Wire

// Operations that show stations, and with which administrators change them.
extension Operation {
  static let stations: [Operation] = [
    Operation(
      "GET", "/api/v1/stations", "listStations",
      "All stations, in the order of the configuration; without the admin token those that are listed.",
      by: .everybodyInPart, answers: .json("Stations")
    ) { call in
      let shown = await call.listedStations()
      let isAdmin = call.isAdmin
      return .madeJSON(shown.key("stations")) {
        ["stations": .array(shown.value.map { $0.json(identified: isAdmin) })]
      }
    },
    Operation(
      "POST", "/api/v1/stations", "addStation", "Adds a station, which stays over restarts.",
      by: .administrators, takes: "StationDefinition", answers: .json("Station", status: 201),
      errors: [400, 409, 503]
    ) { call in
      let station = try StationBody.station(try call.json)
      let added = try await call.relay.add(station, from: call.request.origin)
      return .json(201, added.json(identified: true))
    },
    Operation(
      "POST", "/api/v1/stations/check", "checkUpstreams",
      "Tries at most 8 URLs for 9 s, as a station would pull them, and says what they are; changes nothing.",
      by: .administrators, endsWithClient: true, takes: "UpstreamCheck",
      answers: .json("UpstreamFindings"),
      errors: [400, 503]
    ) { call in
      let findings = try await call.relay.check(try CheckBody.urls(try call.json))
      return .json(200, ["upstreams": .array(findings.map(\.json))])
    },
    Operation(
      "GET", "/api/v1/definitions", "listDefinitions",
      "The definitions of the stations, passwords included, in the form that adding accepts.",
      by: .administrators, answers: .json("Definitions")
    ) { call in
      let definitions = await call.relay.definitions()
      return .madeJSON { ["stations": .array(definitions)] }
    },
    Operation(
      "GET", "/api/v1/stations/{station}", "getStation",
      "One station. listeners.peak counts those of HLS, too; now does not.", by: .everybodyInPart,
      answers: .json("Station"), errors: [404]
    ) { (call: Call, station: String) in
      .json(200, try await call.relay.stationSnapshot(station).json(identified: call.isAdmin))
    },
    Operation(
      "PATCH", "/api/v1/stations/{station}", "changeStation",
      "Changes what the body names; null takes a value away, so that the default counts.",
      by: .administrators, takes: "StationPatch", answers: .json("Station"),
      errors: [400, 404, 409, 503]
    ) { (call: Call, station: String) in
      let patch = try call.json
      let changed = try await call.relay.change(station, by: patch, from: call.request.origin)
      return .json(200, changed.json(identified: true))
    },
    Operation(
      "DELETE", "/api/v1/stations/{station}", "removeStation",
      "Ends a station and its listeners, and throws its past away.", by: .administrators,
      answers: .nothing, errors: [404, 409, 503]
    ) { (call: Call, station: String) in
      try await call.relay.remove(station)
      return .nothing
    },
    Operation(
      "GET", "/api/v1/stations/{station}/history", "getHistory",
      "The titles played, newest first; truncated where the answer would exceed 1 MiB.",
      by: .everybodyInPart,
      [
        Parameter("limit", Schema.integer(1...1000), "How many titles; 100 unless given."),
        Parameter(
          "at", Schema.text,
          "What was on air at a moment, and before: RFC 3339, Unix seconds, 18:00 (the station's last), or -10m."
        ),
      ],
      answers: .json("History"), errors: [400, 404]
    ) { (call: Call, station: String) in try await history(of: station, call) },
    Operation(
      "GET", "/api/v1/stations/{station}/timeline", "getTimeline",
      "The window without its audio: titles, gaps and air times.", by: .everybodyInPart,
      [
        Parameter(
          "since", Schema.count,
          "Byte of the log from which titles and gaps are told; 0 unless given.")
      ],
      answers: .json("Timeline"), errors: [400, 404]
    ) { (call: Call, station: String) in try await timeline(of: station, call) },
    Operation(
      "GET", "/api/v1/stations/{station}/waveform", "getWaveform",
      "How loud the window is, measured or estimated: a byte for the loudest second of each point.",
      by: .everybodyInPart,
      [
        Parameter("from", Schema.number, "Media seconds, as in the timeline; else the oldest."),
        Parameter("to", Schema.number, "Media seconds; else what is live."),
        Parameter(
          "points", Schema.integer(1...StationWaveform.pointsMax),
          "How many points at most; 1024 unless given."),
      ] + listenerQuery,
      answers: .json("Waveform"), errors: [400, 401, 403, 404, 429, 503]
    ) { (call: Call, station: String) in try await waveform(of: station, call) },
    Operation(
      "GET", "/api/v1/stations/{station}/sound", "getSound",
      "Ten seconds of decoded sound: levels and a spectrum, 25 times a second.",
      by: .everybodyInPart,
      [
        Parameter(
          "media", Schema.number,
          "Media seconds at which it begins: a multiple of 10; else the newest that is whole.")
      ] + listenerQuery,
      answers: .text("application/octet-stream"), errors: [400, 401, 403, 404, 429, 503]
    ) { (call: Call, station: String) in try await sound(of: station, call) },
    Operation(
      "GET", "/api/v1/stations/{station}/replayed", "getReplayed",
      "How often each minute was heard later than live: 0 below three listeners, else in 8 steps up to 255.",
      by: .everybodyInPart, answers: .json("Replayed"), errors: [404]
    ) { (call: Call, station: String) in
      let replayed = try await call.replayed(of: station)
      return .madeJSON(replayed.key("replayed \(station)")) { replayed.value.json }
    },
    Operation(
      "GET", "/api/v1/stations/{station}/artwork", "getArtwork",
      "The picture of what is on air, or of the station: PNG, JPEG, GIF, WebP or AVIF, of at most 2 MiB.",
      [
        Parameter("position", Schema.count, "Byte of the log: the picture of the title there."),
        Parameter("show", Schema.text, "Name of a show of the station: its own picture."),
      ],
      answers: Answer(status: 200, content: [("image/*", Schema.text)]), errors: [400, 404, 503]
    ) { (call: Call, station: String) in try await artwork(of: station, call) },
    Operation(
      "GET", "/api/v1/stations/{station}/files", "listFiles",
      "The files of a station that serves some, in order of their paths; at most 10,000, truncated "
        + "where they take more than 8 MiB. What a station with auth: has, administrators are told only.",
      by: .everybodyInPart, answers: .json("Files"), errors: [401, 404, 503]
    ) { (call: Call, station: String) in try await files(of: station, call) },
    Operation(
      "PUT", "/api/v1/stations/{station}/metadata", "announceTitle",
      "Announces a title, until the upstream sends a new one.", by: .administrators,
      takes: "Title", answers: .json("Station"), errors: [400, 404, 409]
    ) { (call: Call, station: String) in
      try await call.relay.announce(try TitleBody.title(try call.json), on: station)
      return .json(200, try await call.relay.stationSnapshot(station).json(identified: true))
    },
    command(.start, "startStation", "Starts a stopped station."),
    command(.stop, "stopStation", "Stops a station; it stays stopped over restarts."),
    command(.restart, "restartStation", "Lets a station connect to its upstream anew."),
  ]

  private static func command(
    _ command: StationCommand, _ name: String, _ summary: String
  ) -> Operation {
    Operation(
      "POST", PathTemplate(stringLiteral: "/api/v1/stations/{station}/\(command.rawValue)"), name,
      summary, by: .administrators, answers: .json("Station"), errors: [404, 503]
    ) { (call: Call, station: String) in
      .json(200, try await call.relay.perform(command, on: station).json(identified: true))
    }
  }

  private static func history(of station: String, _ call: Call) async throws -> APIResponse {
    let limit = try call.query.limit(upTo: HistoryEntry.limitMax)
    guard let text = call.query["at"] else {
      let titles = try await call.history(of: station, limit: limit)
      return .madeList(
        titles.key("history \(station) \(limit)"), "history", Array(titles.value.prefix(limit)),
        bytesMax: HistoryEntry.bytesMax, \.json)
    }
    let moment: WallTime
    do throws(TimestampError) {
      let zone = await call.relay.timeZone(of: station)
      moment = try WallTime(parsing: text, now: Moment.now().wall, in: zone)
    } catch {
      throw APIError.badParameter("at", "\"\(text.prefix(64))\" \(error)")
    }
    let titles = try await call.history(of: station, limit: HistoryEntry.keptMax)
    let heard = titles.value.drop { $0.playing.since.map { $0 > moment } ?? false }.prefix(limit)
    return .madeList(nil, "history", Array(heard), bytesMax: HistoryEntry.bytesMax) { $0.json }
  }

  private static func timeline(of station: String, _ call: Call) async throws -> APIResponse {
    let since = try call.position("since") ?? 0
    let timeline = try await call.timeline(of: station)
    return .madeJSON(timeline.key("timeline \(station) \(since)")) {
      timeline.value.from(since).json
    }
  }

  /// The number of points when the request names none.
  private static let pointsDefault = 1024

  private static func waveform(of station: String, _ call: Call) async throws -> APIResponse {
    var count = pointsDefault
    if let text = call.query["points"] {
      guard let number = Int(text), (1...StationWaveform.pointsMax).contains(number) else {
        let most = StationWaveform.pointsMax
        throw APIError.badParameter("points", "write a number from 1 to \(most)")
      }
      count = number
    }
    let (from, to) = (try call.media("from"), try call.media("to"))
    if let from, let to, from > to {
      throw APIError.badParameter("to", "write a time that is not before from")
    }
    let reach = try await call.hearing(of: station).reach
    let waveform = try await call.waveform(of: station)
    let part = "\(from ?? -1) \(to ?? -1) \(count) \(reach ?? -1)"
    return .madeJSON(waveform.key("waveform \(station) \(part)")) { [count] in
      let shown = waveform.value
      let first = reach.map { max(from ?? 0, shown.window.upperBound - $0) } ?? from
      return shown.json(shown.points(from: first, to: to, atMost: count))
    }
  }

  private static func sound(of station: String, _ call: Call) async throws -> APIResponse {
    let asked = try call.media("media")
    try await call.hearing(of: station, at: asked.map { .media($0) } ?? .live)
    let sound = try await call.relay.sound(of: station, for: call.request.origin)
    let media = asked ?? Double(sound.newest)
    guard media.truncatingRemainder(dividingBy: Double(SoundChunk.seconds)) == 0 else {
      throw APIError.badParameter("media", "write media seconds, a multiple of 10")
    }
    let first = Int64(bounded: media)
    // The decoder waits for the log's disk: other pages do not wait for it.
    return .made(
      PageOrder(
        longKey: "sound \(station) \(first)", mediaType: "application/octet-stream"
      ) { isWanted in sound.chunk(at: first, while: isWanted).bytes })
  }

  private static func artwork(of station: String, _ call: Call) async throws -> APIResponse {
    let position = try call.position("position")
    let artwork =
      if let show = call.query["show"] {
        try await call.relay.artwork(ofShow: show, of: station)
      } else {
        try await call.relay.artwork(of: station, at: position)
      }
    // A title's picture stays what it is; what is on air changes.
    let fields = artwork.isOfTitle ? [CacheControl.forADay] : []
    return .made(
      PageOrder(
        key: "artwork \(station) \(artwork.isOfTitle) \(artwork.url)", mediaType: artwork.mediaType,
        fields: fields
      ) { artwork.bytes })
  }

  private static func files(of station: String, _ call: Call) async throws -> APIResponse {
    let files: FileList
    do throws(RelayError) {
      files = try await call.relay.files(
        of: station, isAdmin: call.isAdmin, for: call.request.origin)
    } catch {
      guard case .filesForAdministrators = error else { throw error }
      throw call.admission.refusal(at: call.request.head.path)
    }
    return .madeList(
      "files \(files.version)", "files", files.entries, bytesMax: PageOrder.bytesMax,
      isLong: true, \.json)
  }
}

extension Call {
  /// Returns a parameter that is a byte of a log; nil where it is not given.
  fileprivate func position(_ name: String) throws(APIError) -> UInt64? {
    guard let text = query[name] else { return nil }
    guard let number = UInt64(text) else {
      throw APIError.badParameter(name, "write a position, a number from 0")
    }
    return number
  }

  /// Returns a parameter in media seconds; nil where it is not given.
  fileprivate func media(_ name: String) throws(APIError) -> Double? {
    guard let text = query[name] else { return nil }
    guard let number = Double(text), StationWaveform.mediaSeconds.contains(number) else {
      throw APIError.badParameter(name, "write media seconds, a number from 0")
    }
    return number
  }
}
