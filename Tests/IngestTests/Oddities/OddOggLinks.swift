import TestSupport
import Testing
import Timeshift

@testable import Ingest
@testable import Wire

extension Oddity {
  /// One body, and what comes of it.
  private static func row(
    _ id: String, _ upstream: String, _ relay: String, _ body: [UInt8],
    expect: Expectation = .packets(0..<50)
  ) -> Oddity {
    Oddity(id, upstream, relay, .ogg(body), expect: expect)
  }

  /// Nothing of the body can be played; the station's next upstream is.
  private static func refused(
    _ id: String, _ upstream: String, after size: String = "64 KiB", _ body: [UInt8]
  ) -> Oddity {
    Oddity(
      id, upstream, "refused after \(size): `bad-content`; the next upstream plays",
      paths: ["/live", "/next"],
      expect: .packets(0..<50).and(.event("bad-content", "64 KiB"))
    ) { _ in
      ["/live": .ogg(body), "/next": .ogg(OddOgg.link(0..<50).bytes)]
    }
  }

  /// A file of a real encoder.
  private static func file(
    _ id: String, _ upstream: String, _ relay: String, _ codec: Fixtures.OggCodec,
    expect: Expectation, change: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
  ) -> Oddity {
    Oddity(id, upstream, relay) {
      let body = try Fixtures.ogg(
        codec, sampleRate: codec == .speex ? 16_000 : 48_000, channels: codec == .speex ? 1 : 2)
      let upstream = try FakeUpstream(.numbered())
      defer { upstream.stop() }
      upstream.reply("/live", with: .ogg(change(body)))
      try await play(urls: [upstream.url("/live")], expect: expect)
    }
  }

  private static func made(_ add: (inout OddOgg) -> Void) -> [UInt8] {
    var stream = OddOgg()
    add(&stream)
    return stream.bytes
  }

  private static func comments(_ comments: [UInt8]...) -> [UInt8] {
    made {
      $0.addHeaders(comments)
      $0.addAudio(0..<50)
    }
  }

  static let oggLinks: [Oddity] = [
    row(
      "ogg-link", "chains a link with another serial number for every title",
      "makes one logical stream of them, without what each link trims at its ends; each title stands where its link begins",
      OddOgg.link(0..<20, "ARTIST=A", "TITLE=B", serial: 1).bytes
        + OddOgg.link(20..<50, "ARTIST=C", "TITLE=D", serial: 2).bytes,
      expect: .packets(0..<50).and(.titles("A - B", "C - D"))),
    row(
      "ogg-link-same-serial", "gives the next link the serial number of the one before", "the same",
      OddOgg.link(0..<20, "TITLE=A").bytes + OddOgg.link(20..<50, "TITLE=B").bytes,
      expect: .packets(0..<50).and(.titles("A", "B"))),
    row(
      "ogg-headers-again", "sends the same headers again and again between its pages",
      "overlooks them",
      OddOgg.link(0..<20, "TITLE=A").bytes + OddOgg.link(20..<30, "TITLE=A").bytes
        + OddOgg.link(30..<50, "TITLE=A").bytes,
      expect: .packets(0..<50).and(.titles("A"))),
    row(
      "ogg-title-ends", "has no title in the next link",
      "ends the title of the one before: it is not on air any more",
      OddOgg.link(0..<20, "TITLE=A").bytes + OddOgg.link(20..<50).bytes,
      expect: .packets(0..<50).and(.titles("A", ""))),
    file(
      "ogg-link-codec", "goes on with another codec in its next link",
      "logs both, each behind its headers; listeners of the old one are ended there", .vorbis,
      expect: .codecs(.opus, .vorbis).and(.logged(seconds: 4.9)).and(
        .link { $0.format.codec == .vorbis }),
      change: { OddOgg.link(0..<50).bytes + $0 }),
    row(
      "ogg-comments-twice", "writes `artist=` in lower case, and two of them",
      "reads both: `A, B - C`",
      comments(Array("artist=A".utf8), Array("ARTIST=B".utf8), Array("Title=C".utf8)),
      expect: .packets(0..<50).and(.titles("A, B - C"))),
    row(
      "ogg-comments-latin1", "writes its comments in Latin-1",
      "reads what is not UTF-8 as windows-1252",
      comments(Array("TITLE=J".utf8) + [0xF3] + Array("ga".utf8)),
      expect: .packets(0..<50).and(.titles("Jóga"))),
    row(
      "ogg-comments-controls", "hides CR LF and NUL in a comment",
      "no title has any: they become blanks or go",
      comments(Array("TITLE=A\r\nSet-Cookie: x=\0y".utf8)),
      expect: .packets(0..<50).and(.titles("A  Set-Cookie: x=y"))),
    row(
      "ogg-picture", "has a picture of 100 kB among its comments",
      "leaves it out: every newcomer would have to load it first",
      comments(picture(100_000), title),
      expect: .packets(0..<50).and(.titles("A")).and(.link { $0.pages(serial: 1).count < 1000 })),
    row(
      "ogg-picture-large", "has one of 5 MB", "the same; the headers may have 8 MiB in all",
      comments(picture(5_000_000), title), expect: .packets(0..<50).and(.titles("A"))),
    refused(
      "ogg-comments-endless", "has comments that never end", after: "8 MiB",
      made {
        $0.add(header: OddOgg.opusHead, .first)
        let values = [UInt8](repeating: 255, count: 255)
        let text = Array("OpusTags".utf8) + [UInt8](repeating: 65, count: 255 * 255 - 8)
        for number in 0..<140 { $0.add(number == 0 ? [] : .continued, lacing: values, text) }
      }),
    refused(
      "ogg-comments-broken", "has comments that say they are longer than their packet",
      made {
        $0.add(header: OddOgg.opusHead, .first)
        $0.add(
          header: Array(OddOgg.opusTags([]).dropLast(4)) + [9, 0, 0, 0, 255, 255, 255, 255], [])
        $0.addAudio(0..<700)
      }),
    refused(
      "ogg-no-headers", "begins in the middle of a link, without headers",
      made { $0.addAudio(0..<700) }),
    refused(
      "ogg-half-headers", "sends the first header and not the second",
      made {
        $0.add(header: OddOgg.opusHead, .first)
        $0.addAudio(0..<700)
      }),
    row(
      "ogg-mid-link", "begins in the middle of a link, and chains the next one",
      "plays from the next link on",
      made {
        $0.addAudio(0..<30)
        $0.addHeaders()
        $0.addAudio(30..<80)
      }, expect: .packets(30..<80)),
    row(
      "ogg-multiplexed", "carries pictures beside the audio (Skeleton, Theora)",
      "takes the audio out", multiplexed),
    row(
      "ogg-two-audio", "carries two streams of audio side by side", "plays the first", twofold),
    refused(
      "ogg-no-audio", "carries Theora and no audio",
      made {
        $0.add(header: theora, .first)
        $0.addAudio(0..<700)
      }),
    row(
      "ogg-pre-skip", "says how much of its start is the encoder's own (`pre-skip` 312)",
      "leaves that out for who is there at the start, and says 80 ms to who joins later: "
        + "the decoder needs that to find in",
      OddOgg.link(0..<50).bytes,
      expect: .packets(0..<50).and(.link { Array($0.identification[10..<12]) == [0x00, 0x0F] })),
    file(
      "ogg-flac", "sends FLAC in Ogg", "plays", .flac,
      expect: .codecs(.flac).and(.logged(seconds: 3.9))),
    file(
      "ogg-flac-headers", "sends FLAC that does not say how many headers it has",
      "reads up to the one that says it is the last", .flac,
      expect: .codecs(.flac).and(.logged(seconds: 3.9)), change: withoutHeaderCount),
    refused(
      "ogg-flac-huge", "sends FLAC whose frames are longer than 128 KiB each",
      flac(Array(repeating: 140_000, count: 4))),
    row(
      "ogg-flac-hires", "sends FLAC whose frames have 100 kB each (24 bit, 192 kHz)",
      "plays: a frame may have 128 KiB", flac(Array(repeating: 100_000, count: 11)),
      expect: .logged(seconds: 1).and(.link { $0.format.codec == .flac })),
    row(
      "ogg-flac-lost", "sends FLAC of which some frames are longer than 128 KiB",
      "leaves those out, and tells a `gap` of their length",
      flac([9_000, 140_000, 140_000] + Array(repeating: 9_000, count: 11)),
      expect: .logged(seconds: 1.1).and(.event("gap", "seconds: 0.18"))),
    refused(
      "ogg-flac-long", "sends FLAC whose frames last 8 s each",
      made {
        $0.add(header: flacHead.replacing([0x0A, 0xC4, 0x42], with: [0x01, 0xF4, 0x02]), .first)
        $0.add(header: [0x84, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0], [])
        // 65,536 samples at 8 kHz.
        let frame: [UInt8] = [0xFF, 0xF8, 0x79, 0xA8, 0, 0xFF, 0xFF]
        for number in 0..<200 { $0.add(header: frame + Odd.filling(500, number), []) }
      }),
    file(
      "ogg-speex", "sends Speex", "plays", .speex,
      expect: .codecs(.speex).and(.logged(seconds: 3.9))),
    refused(
      "ogg-speex-zero", "sends Speex with a rate of 0 Hz",
      made {
        $0.add(header: Array("Speex   1.2".utf8) + [UInt8](repeating: 0, count: 69), .first)
        $0.addAudio(0..<700)
      }),
  ]

  /// Frames of so many bytes, 4,096 samples (93 ms) each.
  private static func flac(_ sizes: [Int]) -> [UInt8] {
    made {
      $0.add(header: flacHead, .first)
      $0.add(header: [0x84, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0], [])
      for (number, size) in sizes.enumerated() {
        $0.add(header: [0xFF, 0xF8, 0xC9, 0xA8, UInt8(number), 0] + Odd.filling(size, number), [])
      }
    }
  }

  /// 44.1 kHz, stereo, one more header.
  private static let flacHead: [UInt8] =
    [0x7F] + Array("FLAC".utf8) + [1, 0, 0, 1] + Array("fLaC".utf8) + [0, 0, 0, 34]
    + [16, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0x0A, 0xC4, 0x42, 0xF0] + [UInt8](repeating: 0, count: 20)

  private static let title = Array("TITLE=A".utf8)

  private static func picture(_ bytes: Int) -> [UInt8] {
    Array("METADATA_BLOCK_PICTURE=".utf8) + [UInt8](repeating: 65, count: bytes)
  }

  private static let theora = [0x80] + Array("theora".utf8) + [UInt8](repeating: 3, count: 35)

  /// Every stream's first page comes before any other page; then they take turns.
  private static let multiplexed: [UInt8] = {
    let audio = OddOgg.link(0..<50)
    var (skeleton, video) = (OddOgg(serial: 5), OddOgg(serial: 6))
    skeleton.add(header: Array("fishead\0".utf8) + [UInt8](repeating: 1, count: 72), .first)
    skeleton.add(header: Array("fisbone\0".utf8) + [UInt8](repeating: 1, count: 50), [])
    video.add(header: theora, .first)
    for number in 0..<20 { video.add([], lacing: [200], Odd.filling(200, number)) }
    let first = skeleton.pages[0] + video.pages[0] + audio.pages[0]
    return first + skeleton.pages[1] + turns(audio.pages.dropFirst(), video.pages.dropFirst())
  }()

  private static let twofold: [UInt8] = {
    let (one, two) = (OddOgg.link(0..<50, serial: 1), OddOgg.link(1000..<1050, serial: 2))
    return one.pages[0] + two.pages[0] + turns(two.pages.dropFirst(), one.pages.dropFirst())
  }()

  private static func turns(_ one: ArraySlice<[UInt8]>, _ two: ArraySlice<[UInt8]>) -> [UInt8] {
    (0..<max(one.count, two.count)).flatMap { turn in
      [one, two].flatMap { Array($0.dropFirst(turn).prefix(1).joined()) }
    }
  }

  /// The first page with a header count of 0, "not known".
  private static func withoutHeaderCount(_ file: [UInt8]) -> [UInt8] {
    guard case .page(let page) = OggPage.read(in: file.span, at: 0) else { return [] }
    var first = Array(file[page.range])
    // Behind the page's head and one lacing value; the mark `FLAC` and its version stand before the count.
    (first[28 + 7], first[28 + 8]) = (0, 0)
    var span = first.mutableSpan
    OggPage.stamp(&span, serial: page.serial, sequence: page.sequence, granule: page.granule)
    return first + file[page.range.upperBound...]
  }
}
