import Ingest
import Server
import Timeshift
import Wire

typealias StationKey = KeyRow<StationDefinition>

/// Every key of a station, in one row each.
enum StationKeys {
  private typealias Limits = ConfigurationLimits

  /// Keys in the order in which people are shown them.
  static let all =
    about + source + offer + rights + type + limits + admission + connection + push + demand
    + sound + encoding + titles + recording
  /// Keys in the order in which the API describes them.
  static let described =
    about + source + offer + type + rights + limits + admission + connection + push + demand
    + sound + encoding + titles + recording
  /// Keys in the order in which definitions are written.
  static let written =
    about + source + offer + type + push + rights + limits + demand + sound + encoding + titles
    + recording
    + admission + connection

  private static let about: [StationKey] = [
    StationKey("id", \.id, .stationID, missing: "write \(StationID.wanted)"),
    StationKey("name", \.name, .text()).option(
      .about, "Name of the station; else the upstream's own."),
    StationKey("description", \.description, .text(max: 1024)).option(
      .about, "A sentence about the station."),
    StationKey("genre", \.genre, .text()).option(
      .about, "What the station plays, for directories and players."),
    StationKey("homepage", \.homepage, .webURL).option(.about, "Web page of the station.", "url"),
    StationKey("artwork", \.artwork, .webURL).option(.about, "Picture of the station.", "url"),
  ]

  private static let source: [StationKey] = {
    var rows = StationSource.Keys.rows.map { $0.inside(\StationDefinition.source.keys) }
    // The first row reads all of them, since each may rule out the others.
    rows[0].read = { $1.source = .read($0, of: $1.id) }
    return rows
  }()

  private static let offer: [StationKey] = [
    StationKey("public", \.isPublic, .flag).option(
      .about, "Whether stream directories may list the station."),
    StationKey("listed", \.isListed, .flag).option(
      .about, "Whether pages and lists for everybody have the station."),
    StationKey("mounts", list: \.mounts, .mountPath, isEmptyWritten: true).option(
      .about, "Further path to the stream; may be given several times.", "path"),
    StationKey("window", \.window, .duration(Limits.window)).option(
      .serving, "How much past to keep; 0 keeps none.", "time"),
    StationKey(
      "burst", \.burst, .duration(Limits.burst), serve: { $0.burst = MediaTime(seconds: $1) }
    ).option(.serving, "How much audio a new listener gets at once.", "time"),
    StationKey("behind", \.behind, .word, serve: { $0.behind = $1 }).option(
      .serving,
      "What a slow listener gets: shift keeps its place, skip jumps to live, drop ends it.", "word"),
    StationKey(
      "max-lag", \.lagMax, .duration(Limits.lagMax), serve: { $0.lagMax = MediaTime(seconds: $1) }
    ).option(.serving, "How far a listener may fall behind before skip or drop acts.", "time"),
    StationKey(
      "pause-timeout", \.pauseTimeout, .duration(Limits.pauseTimeout),
      serve: { $0.pauseTimeout = $1 }),
    StationKey("step-down", \.stepsDown, .flag).option(
      .serving, "Whether listeners on a slow line go on with a rendition of fewer bits."),
    StationKey("metaint", \.metaint, .integer(Limits.metaint), serve: { $0.metaint = $1 }),
    StationKey("user-agent", \.userAgent, .text(), pull: { $0.userAgent = $1 }).option(
      .pulling, "Name that the upstream is told (User-Agent).", "name"),
  ]

  /// Keys for what listeners may do, for all stations and for one.
  static let rights: [StationKey] = [
    StationKey(
      "shift", \.shift, .flag,
      serve: { settings, isAllowed in
        settings.allowsShift = isAllowed
        // Without the right to hear the past, clips of it are forbidden as well, unless `clip` says otherwise.
        if !isAllowed { settings.allowsClips = nil }
      }
    ).option(.serving, "Whether listeners may hear the past."),
    StationKey(
      "offset-max", \.offsetMax, .duration(Limits.offsetMax),
      serve: { $0.offsetMax = MediaTime(seconds: $1) }
    ).option(.serving, "How far back listeners may go.", "time").checked { reader, station in
      guard station.shift == false, station.offsetMax != nil else { return }
      reader.report("goes with shift: true; leave one of them out", key: "offset-max")
    },
    StationKey("clip", \.clip, .flag, serve: { $0.allowsClips = $1 }).option(
      .serving, "Whether pieces of the past may be fetched as files; else as --shift says."),
    hls,
  ]

  private static let hls: StationKey = {
    var row = StationKey(
      name: "hls", schema: HLSRule.schema,
      read: { if let rule = HLSRule.read($0) { $1.hls = rule } },
      json: { $0.hls?.json ?? .null }, shown: ValueRule<Bool>.flag.shown,
      keys: HLSRule.Keys.rows.trees(), serve: { $0.hls?.serve(&$1.hls) }
    ).option(.serving, "Whether the station is given as HLS.", form: .flag)
    row.options += HLSRule.Keys.rows.flatMap { $0.options(below: row.name) }
    return row.checked { HLSRule.check($0, $1) }
  }()

  private static let type: [StationKey] = [
    StationKey("type", \.type, .word, pull: { $0.type = $1 }).option(
      .pulling, "Codec of the audio, whatever the upstream says or the bytes look like.", "type"),
    encode,
    renditions,
  ]

  private static let encode: StationKey = {
    var row = StationKey("encode", \.encode, PCMEncoding.rows, from: .init()).option(
      .pulling,
      "Bit rate in kbit/s of the MP3 made from --of; the configuration has its other settings.",
      "bitrate", form: .number)
    row.pull = { if let encode = $0.pulledEncoding { $1.encode = encode } }
    return row.checked { reader, station in
      switch station.kind.samples {
      case .program: station.encode?.checkRaw(reader)
      case .soundInput:
        if reader.field("encode") != nil { return }
        reader.report(
          "is missing; the samples of a sound input are encoded: write encode: {bitrate: 192}",
          key: "encode")
      case .original:
        station.encode?.checkRaw(reader)
        station.encode?.refuseRaw(reader)
      case .none:
        // Where the sound input is written badly, that has been noted.
        if station.encode == nil || reader.node("upstream")?.namesSoundInput == true { return }
        reader.report(
          "goes with command: or alsa:, whose samples are encoded, or with of:, for a rendition of a "
            + "station",
          key: "encode")
      }
    }
  }()

  /// A list's reader makes stations of it; no definition has it.
  private static let renditions = StationKey(
    name: "renditions", schema: Schema.known(Schema.severalTexts), read: { _, _ in },
    json: { _ in .null }, shown: ValueRule<Int>.mp3Bitrate.shown,
    keys: RenditionSettings.rows.trees())

  private static let limits: [StationKey] = [
    StationKey(
      "max-listeners", \.listenersMax, .integer(Limits.listenersMax),
      serve: { $0.listenersMax = $1 }
    ).option(.serving, "Most listeners at once.", "number"),
    StationKey(
      "max-listening-time", \.listeningTimeMax, .duration(Limits.listeningTime),
      serve: { $0.listeningTimeMax = $1 }
    ).option(.serving, "How long one listener may listen; 0 sets no limit.", "time"),
  ]

  private static let admission: [StationKey] = [
    StationKey("allow", list: \.access.allow, .addressRange).option(
      .serving, "Addresses that alone may listen, such as 10.0.0.0/8; may be given several times.",
      "range"),
    StationKey("deny", list: \.access.deny, .addressRange).option(
      .serving, "Addresses that may not listen; may be given several times.", "range"),
    StationKey("deny-agents", list: \.access.denyAgents, .agentPattern).option(
      .serving, "Players that may not listen, such as 'Bot*'; may be given several times.", "name"),
    StationKey(
      name: "auth", schema: Schema.known(AuthSettings.rows.schema()),
      read: { $1.auth = AuthSettings.read($0) }, json: { $0.auth?.json ?? .null },
      shown: Showing.hidden, keys: AuthSettings.rows.trees()),
  ]

  /// Keys for how upstreams are reached, for all stations and for one.
  static let connection: [StationKey] = [
    StationKey(
      "connect-timeout", \.connection.connectTimeout, .duration(Limits.connectTimeout),
      pull: { $0.connectTimeout = $1 }),
    StationKey(
      "data-timeout", \.connection.dataTimeout, .duration(Limits.dataTimeout),
      pull: { $0.dataTimeout = $1 }),
    StationKey(
      "prebuffer", \.connection.prebuffer, .duration(Limits.prebuffer),
      pull: { $0.prebuffer = $1 }),
    StationKey("icy", \.connection.asksForTitles, .flag, pull: { $0.asksForTitles = $1 }).option(
      .pulling, "Whether the upstream is asked for ICY titles."),
    StationKey(
      "request-headers", list: \.connection.requestHeaders, .headerLine,
      pull: { $0.requestHeaders = $1 }
    ).option(
      .pulling,
      "Further header for the upstream, such as 'Referer: https://example.org/'; may be given "
        + "several times.",
      "line"),
    StationKey("proxy", \.connection.proxy, .proxyURL, pull: { $0.proxy = $1 }).option(
      .pulling, "Proxy on the way to the upstream, such as socks5h://127.0.0.1:1080.", "url"),
    StationKey("verify-tls", \.connection.verifyTLS, .flag, pull: { $0.verifyTLS = $1 }).option(
      .pulling, "Whether the upstream's certificate must be valid."),
    StationKey(
      "ca-file", \.connection.caFile, .pathOfSecret("the path of a PEM file"),
      pull: { $0.caFile = $1 }
    ).option(.pulling, "PEM file of the certificate authority to trust.", "pem"),
    StationKey("allow-private", \.connection.allowsPrivate, .flag, pull: { $0.allowsPrivate = $1 })
      .option(
        .pulling, "Whether redirects and playlists may lead to private addresses and this machine."),
  ]

  private static let push: [StationKey] = [
    StationKey("source-password", \.sourcePassword, .token).option(
      .pulling,
      "Password that an encoder must send to push audio; --source-password-file keeps it out of ps.",
      "secret"
    ).checked { reader, station in
      guard station.takesSources, station.sourcePassword ?? "" == "",
        reader.field("source-password") == nil
      else { return }
      reader.report(
        "is missing; a station with push: among its upstreams needs one", key: "source-password")
    }
  ]

  private static let demand: [StationKey] = [
    StationKey("on-demand", \.onDemand, .flag).option(
      .pulling, "Whether the station is pulled only while somebody listens."),
    StationKey("run-on", \.runOn, .duration(Limits.runOn)).option(
      .pulling, "How long to keep pulling after the last listener leaves.", "time"),
    StationKey("fallback", \.fallback, .fallback).option(
      .serving,
      "What listeners hear while no upstream delivers: silence, station:ID or file:/PATH.", "what"),
    StationKey("fallback-after", \.fallbackAfter, .duration(Limits.fallbackAfter)).option(
      .serving, "Seconds without audio before the fallback starts.", "time"),
  ]

  private static let sound: [StationKey] = [
    StationKey("levels", \.sound.levels, .word).option(
      .serving, "When levels and loudness are measured: always, or only while watched.", "word"),
    StationKey("silence", \.sound.silence, SoundRules.Silence.rows, from: .init()),
    StationKey("loudness", \.sound.loudness, SoundRules.Loudness.rows, from: .init()),
    StationKey("clipping", \.sound.clipping, SoundRules.Clipping.rows, from: .init()),
  ]

  /// Keys for how titles and names are read, for all stations and for one.
  static let encoding: [StationKey] = [
    StationKey(
      name: "metadata-encoding", schema: Schema.known(Schema.text),
      read: { $1.encoding = $0.encoding() }, json: { JSON($0.encoding?.word) },
      shown: ValueRule<EncodingWord>.encoding.shown,
      pull: { if let encoding = $0.encoding { $1.encoding = encoding } }
    ).option(
      .pulling, "Charset of titles that are not UTF-8: auto, detect, utf-8-twice or a name.",
      "charset"),
    StationKey(
      name: "metadata-candidates", schema: Schema.severalTexts, read: { _, _ in },
      json: { .list(($0.encoding?.candidates ?? []).map(\.json)) },
      shown: ValueRule<CharsetName>.charset.shown
    ).option(.pulling, "Charset that detect may choose; may be given several times.", "charset"),
  ]

  private static let titles: [StationKey] = [
    StationKey(
      "title-pattern", list: \.titlePatterns, .titlePattern, pull: { $0.titlePatterns = $1 }
    ).option(
      .pulling,
      "Pattern that takes titles apart, such as '{artist} - {title}'; may be given several times.",
      "pattern"),
    StationKey(
      "title-shift", \.titleShift, .duration(Limits.titleShift), pull: { $0.titleShift = $1 }
    ).option(
      .pulling, "How much later titles take effect than announced; a negative time is earlier.",
      "duration", form: .signed
    ).checked { reader, station in
      // Definitions have it always: 0 is not given.
      guard station.programme != nil, station.titleShift != 0 else { return }
      reader.report(StationSource.noPlaceBesideProgramme, key: "title-shift")
    },
    StationKey(
      name: "metadata",
      schema: Schema.either(Schema.text, MetadataSettings.rows.schema(), ["type": "null"]),
      read: { $1.metadata = MetadataSettings.read($0) }, json: { $0.metadata?.json ?? .null },
      shown: ValueRule.webURL.shown, keys: MetadataSettings.rows.trees(),
      pull: { if let metadata = $0.metadata { $1.metadata = metadata } }
    ).option(.pulling, "Page that says what is playing, in place of the upstream's titles.", "url"),
  ]

  private static let recording: [StationKey] = [
    StationKey(
      name: "record", schema: RecordingRule.schema,
      read: { $1.readRecord($0) }, json: \.recordJSON, shown: RecordingRule.shown,
      keys: RecordingRule.rows.trees()
    ).option(
      .serving, "Weekly recording, such as 'weekdays 18:00-19:30'; may be given several times.",
      "entry", form: .list),
    StationKey(
      name: "shows", schema: Show.schema, read: { $1.shows = Show.read($0) },
      json: { .list($0.shows.map(\.json)) }, shown: Showing.hidden, keys: Show.rows.trees()
    ).checked { reader, station in
      guard !station.allowsRecording, station.shows.contains(where: { $0.recording != nil })
      else { return }
      reader.report(
        "has a show with record:, beside record: false; leave one of them out", key: "shows")
    },
    StationKey("time-zone", \.timeZone, .timeZone).option(
      .serving, "Time zone of --record and shows, such as Europe/Berlin.", "zone"),
  ]
}

extension StationDefinition {
  /// How the samples that are pulled are encoded; nil where encoded audio is pulled.
  fileprivate var pulledEncoding: PCMEncoding? {
    if case .soundInput = source { return SoundInput.encoding(encode ?? PCMEncoding()) }
    return encode
  }

  /// The shape of a definition in request bodies, where null counts as not given.
  package static let schema = StationKeys.described.schema()
  /// The shape of changes to a definition.
  package static let patchSchema = StationKeys.described.schema(isWhole: false)

  /// The definition as `POST /api/v1/stations` accepts it.
  public var json: JSON { .object(StationKeys.written.members(of: self)) }

  /// Returns how the station's listeners are served: the defaults with what the station sets itself.
  ///
  /// - Parameter original: the station that this one is a copy or a rendition of. What a rendition does not say of HLS
  ///   is as there, and the segments of a copy are cut as there.
  public func listenerSettings(
    _ defaults: ListenerSettings, of original: StationDefinition? = nil
  ) -> ListenerSettings {
    var settings = defaults
    if let rule = original?.hls {
      kind.isRendition ? rule.serve(&settings.hls) : rule.cut(&settings.hls)
    }
    for row in StationKeys.all { row.serve(self, &settings) }
    return settings
  }

  /// Returns how the station is pulled: the defaults with its own URLs and settings.
  public func upstreamSettings(_ defaults: UpstreamSettings) -> UpstreamSettings {
    var settings = defaults
    settings.urls = upstream
    if let program { settings.run(program) }
    for row in StationKeys.all { row.pull(self, &settings) }
    return settings
  }
}

extension KeyOption {
  /// Every option, in the order in which people are shown the keys.
  package static let all = StationKeys.all.flatMap(\.options)
}
