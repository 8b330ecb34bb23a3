import TestSupport
import Testing
import Timeshift

@testable import Ingest
@testable import Wire

extension Oddity {
  /// Fifty packets of 20 ms, ten to a page behind two pages of headers.
  private static let usual = OddOgg.link(0..<50)

  private static func row(
    _ id: String, _ upstream: String, _ relay: String, _ body: [UInt8],
    expect: Expectation = .packets(0..<50)
  ) -> Oddity {
    Oddity(id, upstream, relay, .ogg(body), expect: expect)
  }

  private static func typed(_ id: String, _ type: String?) -> Oddity {
    Oddity(
      id, type.map { "sends Ogg as `\($0)`" } ?? "sends Ogg without a type",
      "plays: the bytes tell what they are", .ogg(usual.bytes, type: type),
      expect: .packets(0..<50).and(.codecs(.opus)))
  }

  /// The usual pages, changed before they are sent.
  private static func spoilt(_ change: (inout OddOgg) -> Void) -> [UInt8] {
    var stream = usual
    change(&stream)
    return stream.bytes
  }

  static let ogg: [Oddity] = [
    typed("ogg-type-audio", "audio/ogg"), typed("ogg-type-video", "video/ogg"),
    typed("ogg-type-mpeg", "audio/mpeg"), typed("ogg-type-octets", "application/octet-stream"),
    typed("ogg-type-none", nil),
    row(
      "ogg-checksum", "sends a page with a wrong checksum", "leaves that page out and plays on",
      spoilt { $0.spoil(3) { $0[60] ^= 1 } }, expect: .packets(0..<10, 20..<50)),
    row(
      "ogg-garbage", "sends garbage between its pages", "steps over it",
      spoilt { $0.spoil(4) { $0 = Odd.filling(5000, 3) + $0 } }),
    row(
      "ogg-false-capture",
      "has `OggS` in that garbage, and a page's head that promises 2,550 bytes",
      "waits for them, finds the checksum wrong and looks for the next page right behind that word",
      spoilt { $0.spoil(4) { $0 = Array("OggS".utf8) + falseHead + $0 } }),
    row(
      "ogg-stray-text", "sends a text before the first page", "steps over it",
      Array("Warning: mysql_connect() failed on line 7\n".utf8) + usual.bytes),
    row(
      "ogg-mid-page", "begins in the middle of a page, and chains a link",
      "plays from that link on",
      Array(OddOgg.link(900..<950).bytes.dropFirst(1000)) + usual.bytes),
    Oddity(
      "ogg-stray-untyped", "sends a text before the first page, and no type",
      "plays it where the station says `type: ogg`",
      .ogg(Array("Warning: mysql_connect() failed\n".utf8) + usual.bytes, type: nil),
      settings: { $0.type = .ogg }, expect: .packets(0..<50)),
    Oddity(
      "ogg-split", "sends its pages seven bytes at a time", "plays",
      Odd.pieces(
        Odd.head(["HTTP/1.0 200 OK", "Content-Type: application/ogg"]) + usual.bytes, of: 7),
      expect: .packets(0..<50)),
    row(
      "ogg-full-page", "fills its pages to the brim: 255 packets, five seconds",
      "makes pages of a fifth of a second: who joins need not wait for five",
      made { $0.addAudio(0..<510, segments: 255) },
      expect: .packets(0..<510).and { station, _ in
        #expect(LoggedOgg(station.audio).pages == 52)
      }),
    row(
      "ogg-continued", "lets packets go on from one page into the next",
      "puts them together: its own pages begin and end with whole ones",
      made { $0.addAudio(0..<50, bytes: 700, segments: 4) }),
    row(
      "ogg-continued-lost", "loses a page between two halves of a packet",
      "leaves out what has lost a part, and the rest of the page where that ended",
      made {
        $0.addAudio(0..<50, bytes: 700, segments: 4)
        // Packet 5 goes on in it, 6 begins; 6 ends on the next one, 7 behind it.
        $0.spoil(6) { $0 = [] }
      }, expect: .packets(0..<5, 8..<50)),
    row(
      "ogg-sequence", "skips numbers of pages", "plays what comes; its own pages are counted anew",
      made {
        $0.addAudio(0..<20)
        $0.sequence += 1000
        $0.addAudio(20..<50)
      }),
    row(
      "ogg-granule-none", "says −1 for the time of every page", "counts the packets' own lengths",
      made {
        $0.granule = .max
        $0.addAudio(0..<50)
      }, expect: .packets(0..<50).and(.logged(seconds: 1))),
    row(
      "ogg-granule-back", "lets the time jump an hour ahead and back again",
      "counts the packets' own lengths: its listeners' time does not jump",
      made {
        $0.addAudio(0..<20)
        $0.granule = 3600 * 48_000
        $0.addAudio(20..<30)
        $0.granule = 5
        $0.addAudio(30..<50)
      }),
    Oddity(
      "ogg-eos-close", "ends its stream with the page that says so, and closes",
      "connects anew; the next stream follows in the same one for its listeners",
      .ogg(ended, thenCloses: true), .ogg(OddOgg.link(50..<100, serial: 9).bytes),
      expect: .packets(0..<100).and(.event("reconnected"))),
    Oddity(
      "ogg-eos-silent", "ends its stream and sends nothing more, with the connection open",
      "gives up after `data-timeout`: `timeout`, then connects anew",
      .ogg(ended), .ogg(OddOgg.link(50..<100, serial: 9).bytes),
      settings: { $0.dataTimeout = 1 },
      expect: .packets(0..<100).and(.event("timeout", "no data"))),
    Oddity(
      "ogg-overlap", "sends 6 s again after a reconnect in the middle of a link", "logs them once",
      .ogg(OddOgg.link(0..<350, "TITLE=A").bytes, thenCloses: true),
      .ogg(OddOgg.link(50..<440, "TITLE=A").bytes),
      expect: .packets(0..<440).and(.event("reconnected")).and(.titles("A"))),
    Oddity(
      "ogg-icy", "interleaves ICY blocks into its Ogg pages", "takes them out and reads the titles",
      .raw(
        Odd.head(["HTTP/1.0 200 OK", "Content-Type: application/ogg", "icy-metaint: 1000"])
          + Odd.interleaved([Odd.block("StreamTitle='One - Two';")], audio: usual.bytes)),
      expect: .packets(0..<50).and(.titles("One - Two"))),
    Oddity(
      "ogg-to-mp3", "changes from Ogg to MP3 in mid-stream",
      "refused after 64 KiB without a page: `bad-content`; plays again with the next connection",
      paths: ["/live", "/next"],
      expect: .codecs(.opus, .mp3).and(.event("bad-content", "64 KiB"))
    ) { _ in
      ["/live": .ogg(usual.bytes + NumberedFrames.stream(0..<200)), "/next": Odd.good()]
    },
  ]

  /// Headers, and what is added to them.
  private static func made(_ add: (inout OddOgg) -> Void) -> [UInt8] {
    var stream = OddOgg()
    stream.addHeaders()
    add(&stream)
    return stream.bytes
  }

  private static let ended = spoilt { $0.end() }

  /// Behind the capture pattern: ten segments of 255 bytes.
  private static let falseHead: [UInt8] =
    [UInt8](repeating: 0, count: 22) + [10] + [UInt8](repeating: 255, count: 10)
}
