import TestSupport
import Testing
import Wire

@testable import Ingest

extension Oddity {
  private static func typed(
    _ id: String, _ upstream: String, _ type: String?, body: [UInt8] = Odd.body,
    expect: Expectation = .plays
  ) -> Oddity {
    let fields = type.map { ["Content-Type: \($0)"] } ?? []
    return Oddity(
      id, upstream, "plays: the bytes tell what they are",
      .raw(Odd.head(["HTTP/1.0 200 OK"] + fields) + body), expect: expect)
  }

  static let types: [Oddity] = [
    typed("type-none", "sends no Content-Type", nil),
    typed("type-octets", "sends MP3 as `application/octet-stream`", "application/octet-stream"),
    typed("type-plain", "sends MP3 as `text/plain`", "text/plain"),
    typed("type-html", "sends MP3 as `text/html`", "text/html; charset=UTF-8"),
    typed("type-playlist", "sends MP3 as `audio/x-scpls`", "audio/x-scpls"),
    typed("type-ogg", "sends MP3 as `application/ogg`", "application/ogg"),
    typed("type-garbled", "sends `Content-Type: ;;mp3;`", ";;mp3;"),
    typed(
      "type-mpeg-for-aac", "sends AAC as `audio/mpeg`", "audio/mpeg", body: Odd.adts(),
      expect: .audio(Odd.adts())),
    typed(
      "type-aac-for-mp3", "sends MP3 as `audio/aacp`", "audio/aacp"),
    typed(
      "type-none-aac", "sends AAC without a type", nil, body: Odd.adts(), expect: .audio(Odd.adts())
    ),
    Oddity(
      "type-m3u-name", "has an address that ends in .m3u and sends audio", "plays",
      paths: ["/live.m3u"], expect: .plays
    ) { _ in ["/live.m3u": Odd.good()] },
    typed(
      "he-aac", "sends HE-AAC as `audio/aacp`: half the rate in the header", "audio/aacp",
      body: Odd.adts(rateIndex: 7, channels: 1), expect: .audio(Odd.adts(rateIndex: 7, channels: 1))
    ),
    typed(
      "aac-crc", "sends ADTS with CRC words", "audio/aac", body: Odd.adts(hasCRC: true),
      expect: .audio(Odd.adts(hasCRC: true))),
    typed(
      "aac-channels-0", "sends ADTS that leaves the channels to the audio", "audio/aac",
      body: Odd.adts(channels: 0), expect: .audio(Odd.adts(channels: 0))),
    typed(
      "mpeg2", "sends MPEG-2 at 22.05 kHz", "audio/mpeg", body: Odd.rate22,
      expect: .audio(Odd.rate22)),
    typed(
      "mpeg25", "sends MPEG-2.5 at 11.025 kHz", "audio/mpeg", body: Odd.rate11,
      expect: .audio(Odd.rate11)),
    typed("layer2", "sends layer II", "audio/mpeg", body: Odd.layer2, expect: .audio(Odd.layer2)),
    typed(
      "free-format", "sends free format, whose frames do not say how long they are", "audio/mpeg",
      body: Odd.freeFormat, expect: .audio(Odd.freeFormat)),
    Oddity(
      "type-forced", "begins with a text under `text/html`, and then sends MP3",
      "plays it where the station says `type: mp3`",
      Odd.answer(
        "HTTP/1.0 200 OK", "Content-Type: text/html",
        body: Array("Warning: mysql_connect() failed on line 7\n".utf8) + Odd.body),
      settings: { $0.type = .mp3 }, expect: .plays),
    Oddity(
      "type-other", "sends MP3 where the station says `type: aac`",
      "refused: `bad-content`; the next upstream plays", paths: ["/live", "/aac"],
      settings: { $0.type = .aac },
      expect: .audio(Odd.adts()).and(.event("bad-content", "without an aac frame"))
    ) { _ in
      [
        "/live": Odd.good(body: NumberedFrames.stream(0..<200)),
        "/aac": Odd.good(body: Odd.adts()),
      ]
    },
    Oddity(
      "latm", "sends AAC in LATM/LOAS (`audio/mp4a-latm`)",
      "refused: `bad-content`, which names it; only ADTS carries AAC here",
      Odd.answer(
        "HTTP/1.0 200 OK", "Content-Type: audio/mp4a-latm",
        body: (0..<400).flatMap { [0x56, 0xE0, 0xC0] + Odd.filling(192, $0) }),
      expect: .event("bad-content", "LATM/LOAS").and(.state(.failed))),
    Oddity(
      "flac-native", "sends FLAC without Ogg", "refused: `bad-content`, which names it",
      Odd.answer(
        "HTTP/1.0 200 OK", "Content-Type: audio/flac",
        body: Array("fLaC".utf8) + Odd.filling(70_000, 1)),
      expect: .event("bad-content", "native FLAC")),
    Oddity(
      "flac-native-mid", "sends such FLAC from its middle on",
      "refused after 64 KiB: `bad-content`, which names it by the type",
      Odd.answer(
        "HTTP/1.0 200 OK", "Content-Type: audio/flac", body: Odd.filling(70_000, 1)),
      expect: .event("bad-content", "native FLAC")),
    Oddity(
      "webm", "sends WebM", "refused: `bad-content`, which names it",
      Odd.answer(
        "HTTP/1.0 200 OK", "Content-Type: audio/webm",
        body: [0x1A, 0x45, 0xDF, 0xA3] + Odd.filling(70_000, 1)),
      expect: .event("bad-content", "WebM")),
    Oddity(
      "mpeg-ts", "sends an MPEG transport stream", "refused: `bad-content`, which names it",
      Odd.answer(
        "HTTP/1.0 200 OK", "Content-Type: video/mp2t",
        body: (0..<400).flatMap { [0x47, 0x01, 0x00, 0x10] + Odd.filling(184, $0) }),
      expect: .event("bad-content", "transport stream")),
    Oddity(
      "noise", "sends noise as `audio/mpeg`", "refused after 64 KiB: `bad-content`",
      Odd.good(body: Odd.filling(100_000, 3)),
      expect: .event("bad-content", "64 KiB").and(.state(.failed))),
  ]
}
