import TestSupport
import Testing

@testable import Wire

/// Work on a stranger's bytes grows as they do: four times as many take four times as long, whatever they are.
@Suite(.serialized) struct LinearWorkTests {
  /// 16 is quadratic; 4 is linear, and some more is memory that no longer fits into a cache.
  private static let growthMax = 10.0

  struct Reader: Sendable, CustomTestStringConvertible {
    var name: String
    /// The shorter one of both inputs; the longer one is no longer than what it may get.
    var bytes = 16 * 1024
    var read: @Sendable ([UInt8]) -> Void

    var testDescription: String { name }
  }

  private static let readers: [Reader] = lists + pages + others

  private static let lists: [Reader] = {
    let types: [String] = [
      "audio/x-scpls", "audio/x-mpegurl", "application/xspf+xml", "video/x-ms-asf", "text/html",
    ]
    let playlists = types.map { type in
      Reader(name: "a playlist of \(type)") {
        _ = Playlist.parse($0, mediaType: type, url: "http://h/dir/list")
      }
    }
    return playlists
      + ["a.m3u", "a.pls", "a.xspf", "a.opml", ""].map { name in
        Reader(name: "a list of stations \(name)") { _ = try? StationList.items($0, name: name) }
      }
  }()

  private static let pages: [Reader] = TitlePage.Kind.allCases.map { kind in
    Reader(name: "a page of titles, \(kind)") { bytes in
      var page = TitlePage()
      page.kind = kind
      page.paths.title = "n.song.@title"
      _ = try? page.title(in: bytes, at: 1_780_000_000) { Charset.decode($0) }
    }
  }

  private static let others: [Reader] =
    [
      Reader(name: "XML") { _ = XMLNode($0) },
      Reader(name: "a fault of XML") { _ = XMLFault(in: $0) },
      Reader(name: "a cut of XML") { _ = XMLFault(cutting: $0[...]) },
      Reader(name: "a block of titles", bytes: 1020) { _ = ICYBlock.parse($0) },
      Reader(name: "a text of any charset") { _ = Charset.decode($0) },
      Reader(name: "a request's head", bytes: 2048) { _ = try? HTTPRequestParser.parse($0.span) },
      Reader(name: "a query", bytes: 2048) {
        _ = HTTPQuery(raw: String(decoding: $0, as: UTF8.self)).items
      },
      Reader(name: "what a player tells of itself", bytes: 2048) {
        _ = CMCD.session(in: String(decoding: $0, as: UTF8.self))
      },
      Reader(name: "a title for a playlist") {
        _ = HLSTitle.clean(String(decoding: $0, as: UTF8.self))
      },
      Reader(name: "ranges", bytes: 2048) { bytes in
        let fields = HTTPFields([("Range", String(decoding: bytes, as: UTF8.self))])
        _ = ByteRanges.wanted(fields, of: 1_000_000, tag: "\"a\"")
      },
      Reader(name: "tags", bytes: 2048) { bytes in
        let fields = HTTPFields([("If-None-Match", String(decoding: bytes, as: UTF8.self))])
        _ = EntityTag(of: [1]).isNamed(in: fields)
      },
      Reader(name: "codings", bytes: 2048) { bytes in
        _ = ContentCoding.preferred(
          by: HTTPFields([("Accept-Encoding", String(decoding: bytes, as: UTF8.self))]))
      },
      Reader(name: "chunks") { bytes in
        var (decoder, position) = (HTTPChunkDecoder(), 0)
        while let range = try? decoder.next(in: bytes.span, from: &position), !range.isEmpty {}
      },
      Reader(name: "a source's login", bytes: 2048) { _ = ShoutcastLogin.open($0) },
      Reader(name: "a source's fields", bytes: 2048) { bytes in
        var fields = ShoutcastFields()
        _ = try? fields.read(bytes.span)
      },
      Reader(name: "a PROXY header", bytes: 512) { _ = try? ProxyHeader.parse($0.span) },
      Reader(name: "a duration, a size and a time", bytes: 2048) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        _ = (DurationText.parse(text), SizeText.parse(text), try? TimestampText.parse(text))
      },
      Reader(name: "a line for a log") { _ = LogText.line(String(decoding: $0, as: UTF8.self)) },
      Reader(name: "a URL", bytes: 2048) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        _ = URLText.withoutCredentials(URLText.resolve(text, against: "http://h/a/b?c"))
        _ = URLText.percentEncoded(text)
      },
      Reader(name: "a player's name", bytes: 2048) { bytes in
        _ = Glob("*bot*/*player*").matches(String(decoding: bytes, as: UTF8.self))
      },
      Reader(name: "Ogg") { bytes in
        var (demuxer, from): (OggDemuxer, Int) = (OggDemuxer(), 0)
        var made: [UInt8] = []
        while let found = demuxer.next(in: bytes.span, from: from, atEnd: true, into: &made) {
          from = found.end
        }
      },
      Reader(name: "frames of audio") { bytes in
        var (scanner, from) = (PacketScanner(), 0)
        while let found = scanner.next(in: bytes.span, from: from, atEnd: true) {
          from = found.range.upperBound
        }
      },
    ]

  @Test(arguments: readers)
  func `a text four times as long takes some four times as long to read`(_ reader: Reader) {
    let shapes = zip(
      HostileShapes.all(bytes: reader.bytes), HostileShapes.all(bytes: 4 * reader.bytes))
    for (short, long) in shapes {
      let growth = ThreadTime.growth(from: short.bytes, to: long.bytes, reader.read)
      #expect(growth < Self.growthMax, "\(reader.name) of \(AttackedText(short.name)), × \(growth)")
    }
  }
}

/// A text with what is not to be seen in it.
private struct AttackedText: CustomStringConvertible {
  var description: String

  init(_ text: String) { description = text.debugDescription }
}
