import Programmes
import Timeshift
import Wire

/// A programme as people and programs are shown it.
package struct ProgrammeSnapshot: Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// Its items are on air.
    case playing
    /// Another station is, as one of its items.
    case live
    /// There is nothing to play: not yet, not now, or not any more.
    case waiting
    /// Nobody listens, or the station is stopped.
    case paused
    case failed
  }

  /// The part whose rules hold.
  package struct Part: Hashable, Sendable {
    package var play: Choice?
    package var until: WallTime?
  }

  /// A file that is left out.
  package struct Refused: Hashable, Sendable {
    package var track: TrackKey?
    package var path: String
    /// In words that follow the path.
    package var reason: String
  }

  package var station: String
  package var state = State.waiting
  /// The rules that hold now.
  package var rules: PlayRules
  package var seed: Int64
  package var part: Part?
  package var progress: Plan.Progress
  package var now: ProgrammeItem?
  package var upcoming: [ProgrammeItem] = []
  /// The newest first.
  package var played: [ProgrammeItem] = []
  package var format: AudioFormat?
  /// Measured, in kbit/s; nil when unknown.
  package var bitrate: Int?
  /// The part of the last day's audio that is byte for byte the files'; nil where none was played.
  package var passThrough: Double?
  /// Why what plays follows the item before it by a cut, where a join was wanted.
  package var joinRefusal: String?
  package var refusedCount = 0
  /// The first of what is left out.
  package var refused: [Refused] = []
  /// Rules that a command has changed.
  package var changed: [String] = []
  /// How many of the items to come everybody is told.
  package var publishNext: Int
  /// Seconds until a live listener hears what a command has changed; nil: nobody does, or nothing was changed on air.
  package var heardAfter: Double?
}

extension ProgrammeSnapshot {
  /// The most files that are named of those that are left out.
  package static let refusedMax = 1000

  /// Returns the programme as a JSON object. Without `identified` nobody reads paths, nor more of what comes than is
  /// public.
  package func json(identified: Bool) -> JSON {
    let members = Shown.shape.members(of: Shown(it: self, isIdentified: identified))
    return .object(members)
  }

  /// The answer to a command.
  package var changedJSON: JSON {
    .object(json(identified: true).members + [.init(key: "heardAfter", value: JSON(heardAfter))])
  }

  package static let schema = Schema.object(
    Shown.shape.fields() + [("heardAfter", Schema.known(Schema.number))],
    needed: Shown.shape.map(\.name))
}

extension ProgrammeSnapshot {
  /// How its items follow each other, where that can be.
  fileprivate var join: Join {
    rules.join ?? (format.map { $0.codec == .mp3 } ?? true ? .gapless : .cut)
  }
}

/// A programme as somebody may see it.
private struct Shown: Sendable {
  let it: ProgrammeSnapshot
  /// Whether an administrator looks.
  let isIdentified: Bool

  static let shape: [Shape<Shown>] = [
    Shape("station", \.it.station), Shape("state", \.it.state),
    Shape("play") { shown in shown.it.rules.choice?.shown(identified: shown.isIdentified) },
    Shape("order") { $0.it.rules.order ?? .sequence },
    Shape("repeat") { $0.it.rules.repeats ?? .all },
    Shape("seed") { $0.isIdentified ? $0.it.seed : nil },
    Shape("join") { $0.it.join },
    Shape("fade") { $0.it.rules.fade ?? PlayRules.fadeStandard },
    Shape(
      "separate",
      Schema.object([
        ("artist", Schema.count), ("title", Schema.count), ("album", Schema.count),
      ])
    ) { shown in
      let separate = shown.it.rules.separation
      return [
        "artist": JSON(separate.artist), "title": JSON(separate.title),
        "album": JSON(separate.album),
      ]
    },
    Shape("loudness", \.it.rules.loudness),
    Shape("part", Schema.known(ProgrammeSnapshot.Part.schema)) { shown in
      shown.it.part?.json(identified: shown.isIdentified) ?? .null
    },
    Shape(
      "live", Schema.known(Schema.object([("station", Schema.text), ("since", Schema.time)]))
    ) { shown in
      guard let now = shown.it.now, now.kind == .live, let station = now.source?.station else {
        return .null
      }
      return ["station": .string(station), "since": now.at.json]
    },
    Shape("cycle", \.it.progress.cycle), Shape("left", \.it.progress.left),
    Shape("total", \.it.progress.total),
    Shape("now", Schema.known(Schema.named("Item"))) { shown in
      shown.it.now?.json(identified: shown.isIdentified) ?? .null
    },
    Shape("upcoming", Schema.list(Schema.named("Item"))) { shown in
      let count = shown.isIdentified ? shown.it.upcoming.count : shown.it.publishNext
      return .array(
        shown.it.upcoming.prefix(count).map { $0.json(identified: shown.isIdentified) })
    },
    Shape("played", Schema.list(Schema.named("Item"))) { shown in
      .array(shown.it.played.map { $0.json(identified: shown.isIdentified) })
    },
    Shape(
      "format",
      Schema.known(
        Schema.object([
          ("codec", Schema.text), ("sampleRate", Schema.count), ("channels", Schema.count),
          ("bitrate", Schema.known(Schema.count)),
        ]))
    ) { shown in
      guard let format = shown.it.format else { return .null }
      return [
        "codec": .string(format.codec.name), "sampleRate": JSON(format.sampleRate),
        "channels": JSON(format.channels), "bitrate": JSON(shown.it.bitrate),
      ]
    },
    Shape("passThrough", \.it.passThrough),
    Shape("joinRefusal") { $0.isIdentified ? $0.it.joinRefusal : nil },
    Shape(
      "refused",
      Schema.object([
        ("count", Schema.count),
        (
          "tracks",
          Schema.list(
            Schema.object([
              ("track", Schema.known(Schema.text)), ("path", Schema.text), ("reason", Schema.text),
            ]))
        ),
      ])
    ) { shown in
      let listed = shown.isIdentified ? shown.it.refused : []
      let tracks = listed.map { file -> JSON in
        [
          "track": JSON(file.track?.description), "path": .string(file.path),
          "reason": .string(file.reason),
        ]
      }
      return ["count": JSON(shown.it.refusedCount), "tracks": .array(tracks)]
    },
    Shape("changed", \.it.changed),
  ]
}

extension ProgrammeSnapshot.State: Shaped {}

extension ProgrammeSnapshot.Part {
  func json(identified: Bool) -> JSON {
    ["play": JSON(play?.shown(identified: identified)), "until": JSON(until)]
  }

  static let schema = Schema.object([
    ("play", Schema.known(Schema.text)), ("until", Schema.known(Schema.time)),
  ])
}

/// What the station's own object says of its programme.
package struct ProgrammeGlance: Sendable {
  package var state = ProgrammeSnapshot.State.paused
  package var play: Choice?
  package var part: ProgrammeSnapshot.Part?
  package var item: UInt64?
  package var next: ProgrammeItem?
  package var publishNext: Int
  /// Seconds from now on whose files are open.
  package var ahead = 0.0
  /// Tracks that can be played, and files that are left out.
  package var tracks = 0
  package var refused = 0

  func json(identified: Bool) -> JSON {
    let next = identified || publishNext > 0 ? next : nil
    return [
      "state": state.json, "play": JSON(play?.shown(identified: identified)),
      "part": part?.json(identified: identified) ?? .null, "item": JSON(item),
      "next": next.map { ["title": JSON($0.title), "artist": JSON($0.artist)] } ?? .null,
    ]
  }

  static let schema = Schema.object([
    ("state", ProgrammeSnapshot.State.schema), ("play", Schema.known(Schema.text)),
    ("part", Schema.known(ProgrammeSnapshot.Part.schema)), ("item", Schema.known(Schema.count)),
    (
      "next",
      Schema.known(
        Schema.object([
          ("title", Schema.known(Schema.text)), ("artist", Schema.known(Schema.text)),
        ]))
    ),
  ])
}
