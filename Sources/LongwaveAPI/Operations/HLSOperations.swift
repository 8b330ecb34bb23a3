import Longwave
import Server

// What the loops answer of HLS.
extension Operation {
  private static let mediaType = "application/vnd.apple.mpegurl"

  static let hls: [Operation] = [
    Operation(
      .hlsMultivariant,
      "The HLS playlist of the qualities: the station, and those of its renditions that are made now.",
      start + [
        Parameter("bitrate", "Only the quality of at most so many kbit/s."), token, session,
      ],
      answers: .text(mediaType), or: [.unchanged],
      errors: [400, 401, 403, 404, 429, 503]),
    Operation(
      .hlsMedia,
      "The HLS playlist: live, with the window as DVR. A station that has nothing to list yet is waited for.",
      start + [
        Parameter("_HLS_msn", "Waits until the segment of this number is listed."),
        Parameter(
          "_HLS_skip", Schema.text,
          "YES: without the segments that are older than 6 targets; v2: without their titles as well."
        ),
        token, session,
      ],
      answers: .text(mediaType), or: [.unchanged],
      errors: [400, 401, 403, 404, 429, 503]),
    Operation(
      .hlsClip,
      "A piece of the window as a finished HLS playlist; the audio of its segments is that of the clip.",
      [
        Parameter(
          "from", Schema.text,
          "RFC 3339, Unix seconds, 18:00 (the station's last), or a time before now: -10m.",
          isRequired: true),
        Parameter("to", Schema.text, "The same; now unless given."),
      ],
      answers: .text(mediaType), errors: [400, 401, 403, 404, 503]),
    segment(.hlsSegment, "A segment of HLS, or init-N.mp4. Its bytes never change."),
    segment(
      .hlsSealedSegment, "The same of a station with auth:, by the path that its playlists tell."),
    Operation(
      .hlsRedirect, "Leads to the HLS playlist of the qualities; the query is carried over.",
      answers: Answer(status: 302, content: []), errors: [404]),
  ]

  private static let start = [
    Parameter("offset", Schema.text, "How far behind live players begin, such as 5m; excludes at."),
    Parameter(
      "at", Schema.text,
      "The list begins with the segment of a moment, and goes on; excludes offset and dvr."),
    Parameter("dvr", Schema.text, "How much is listed, such as 30m."),
  ]
  private static let token = Parameter(
    "token", Schema.text, "A listener's token, as of the stream.")
  private static let session = Parameter(
    "CMCD", Schema.text, "Of it sid is read, which tells listeners apart (CTA-5004).")

  private static func segment(_ path: ServedPath, _ text: String) -> Operation {
    Operation(
      path, text, [Parameter("Range", in: .header, Schema.text, "Parts of it, answered by 206.")],
      answers: Answer(
        status: 200, content: ["audio/mpeg", "audio/aac", "audio/mp4"].map { ($0, [:]) }),
      or: [.audioParts, .unchanged], errors: [403, 404, 410, 416, 503])
  }
}
