import Longwave
import Server

// The operations that the loops answer themselves: audio, playlists, sources.
extension Operation {
  static let streams: [Operation] =
    [
      Operation(
        .listen,
        "The station's audio, without end; further paths of a station, and /ID.mp3 where that is its codec, are the same. "
          + "An unknown parameter is ignored; a slip of one of these (offfset) is 400.",
        place + [
          Parameter(
            "session", Schema.text,
            "A name of the client's own (8 to 64 of A-Z a-z 0-9 - _): coming back with it goes on where it stopped."
          ),
          Parameter(
            "seek", Schema.text,
            "With session: moves it first, and lets it play: live, a moment, track-start, previous-track, next-track, -30s or "
              + "+30s; excludes offset and at."),
          Parameter("burst", Schema.text, "How much is sent at once on joining, 0 to 60 s."),
          Parameter("Icy-MetaData", in: .header, Schema.text, "1: with titles in the stream."),
        ],
        answers: Answer(
          status: 200,
          content: ["audio/mpeg", "audio/aac", "application/ogg"].map { ($0, [:]) }),
        or: [.audioParts, .unchanged], errors: [400, 401, 403, 404, 416, 429, 503, 508]),
      Operation(
        .push,
        "A source's audio, as long as it lasts; encoders may say SOURCE instead of PUT.",
        takes: "Audio", answers: Answer(status: 200, content: []),
        errors: [400, 401, 403, 404, 409, 415]),
      Operation(
        .clip,
        "A file cut from the window: the packets that begin in [from, to) by air time, as far as the format stays. "
          + "With ranges; the tag is the same for the same packets.",
        [
          Parameter(
            "from", Schema.text,
            "RFC 3339, Unix seconds, 18:00 (the station's last), or a time before now: -10m.",
            isRequired: true),
          Parameter("to", Schema.text, "The same; now unless given."),
          reverse,
          Parameter("Range", in: .header, Schema.text, "Parts of it, answered by 206."),
        ],
        answers: .audioFile,
        or: [.audioParts], errors: [400, 401, 403, 404, 416, 429, 503]),
      samples(
        .samples,
        "The station's samples, interleaved, decoded as they are heard, without end. A client that "
          + "takes them too slowly misses what leaves the window meanwhile.",
        content: ["audio/L16", "application/octet-stream"]),
      samples(
        .samplesFile,
        "The same behind the head of a WAV file that has no end.",
        content: ["audio/wav"]),
      Operation(
        .file,
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
          reverse,
          Parameter("Range", in: .header, Schema.text, "Parts of it, answered by 206."),
        ],
        answers: .audioFile,
        or: [.audioParts, .unchanged], errors: [400, 401, 403, 404, 416, 429, 503]),
    ] + hls + PlaylistKind.allCases.map(playlist)

  private static let place = [
    Parameter(
      "offset", Schema.text, "How far behind live: seconds, or such as 5m or 1h30m; excludes at."),
    Parameter(
      "at", Schema.text,
      "From a moment on: RFC 3339, Unix seconds, 18:00 (the station's last), -10m, or track-start; excludes offset."
    ),
  ]

  private static let reverse = Parameter(
    "reverse", Schema.text,
    "1: played backwards, decoded and encoded again as MP3 of the next bit rate; without ranges, "
      + "length or tag. 404 not-decodable where the codec cannot be decoded.")

  private static func samples(
    _ path: ServedPath, _ text: String, content: [String]
  ) -> Operation {
    Operation(
      path, text,
      place + [
        Parameter("burst", Schema.text, "How much is sent at once, 0 to 60 s; else 1 s."),
        Parameter("rate", "Hz, 8000 to 192000; else the station's."),
        Parameter("channels", "1 or 2; else as many as the station has."),
        Parameter(
          "format", Schema.text, "s16le, s16be or f32le; wav is s16le behind a head. Else s16le."),
      ],
      answers: Answer(status: 200, content: content.map { ($0, [:]) }),
      errors: [400, 401, 403, 404, 429, 503])
  }

  private static func playlist(_ kind: PlaylistKind) -> Operation {
    Operation(
      .playlist(kind),
      "A playlist with the station's stream, which is given the query of this request.", place,
      answers: .text(kind.mediaType), or: [.unchanged], errors: [400, 404])
  }
}
