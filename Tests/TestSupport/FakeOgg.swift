import Timeshift
import Wire

/// A live programme in Ogg, for a `FakeUpstream`: pages whose number is known from what they hold, in a chain of links
/// with a title each.
public struct FakeOgg: Sendable {
  /// A title and the page its link begins with.
  public struct Link: Sendable {
    public var page: Int
    public var artist: String
    public var title: String

    public init(page: Int, artist: String, title: String) {
      (self.page, self.artist, self.title) = (page, artist, title)
    }
  }

  public let codec: Fixtures.OggCodec
  public let format: AudioFormat
  public let links: [Link]
  private let headers: OggHeaders
  private let pages: [DemuxedOgg.Page]
  /// What a page holds, and which it is.
  private let known: [[UInt8]: Int]
  /// Samples in front of each page, and of all.
  private let samplesBefore: [Int]

  /// `links` begin at page 0. After `seconds` the audio comes again.
  public init(
    _ codec: Fixtures.OggCodec, channels: Int = 2, seconds: Double = 30, seed: UInt64 = 1,
    links: [Link] = [Link(page: 0, artist: "Nina Simone", title: "Sinnerman")]
  ) throws {
    let rate = codec == .speex ? 16_000 : 48_000
    self.init(
      codec,
      file: try Fixtures.ogg(
        codec, sampleRate: rate, channels: channels, seconds: seconds, seed: seed), links: links)
  }

  /// A programme of a file's first stream.
  public init(
    _ codec: Fixtures.OggCodec, file: [UInt8],
    links: [Link] = [Link(page: 0, artist: "Nina Simone", title: "Sinnerman")]
  ) {
    let file = DemuxedOgg(file)
    self.codec = codec
    self.links = links
    headers = file.headers[0]
    format = headers.format
    // An encoder's last page is shorter than the others.
    pages = file.pages.dropLast()
    known = Dictionary(
      zip(pages.map { Array($0.bytes[26...]) }, pages.indices), uniquingKeysWith: { $1 })
    samplesBefore = pages.reduce(into: [0]) { $0.append($0.last! + $1.samples) }
  }

  /// After so many it comes again.
  public var pageCount: Int { pages.count }

  /// Of a page on average.
  public var samples: Int { samplesBefore.last! / pages.count }

  public func programme(speed: Double = 1, before: Double = 0) -> FakeProgramme {
    FakeProgramme(
      samples: samples, sampleRate: format.sampleRate, speed: speed, before: before
    ) { page($0) }
  }

  /// A connection as Icecast makes it: the headers of the link that is on air, then its pages.
  public func stream(burst: Double) -> FakeStream {
    var stream = FakeStream(burst: burst)
    stream.opening = { link(at: $0).page == $0 ? [] : headerPages(at: $0) }
    return stream
  }

  private func link(at page: Int) -> Link { links.last { $0.page <= page }! }

  private func headerPages(at page: Int) -> [UInt8] {
    let link = link(at: page)
    var headers = headers
    headers.comments.fields = [
      .init(key: "ARTIST", value: link.artist), .init(key: "TITLE", value: link.title),
    ]
    // The audio goes on from link to link, so that nothing is left out.
    return headers.pages(serial: serial(of: link), preSkip: 0)
  }

  private func serial(of link: Link) -> UInt32 { 1000 + UInt32(link.page) }

  private func samples(before page: Int) -> Int {
    page / pages.count * samplesBefore.last! + samplesBefore[page % pages.count]
  }

  private func page(_ number: Int) -> [UInt8] {
    let link = link(at: number)
    var bytes = pages[number % pages.count].bytes
    var span = bytes.mutableSpan
    OggPage.stamp(
      &span, serial: serial(of: link), sequence: UInt32(8 + number - link.page),
      granule: UInt64(samples(before: number + 1) - samples(before: link.page)))
    return (link.page == number ? headerPages(at: number) : []) + bytes
  }

  /// What a listener got.
  public struct Heard: Sendable {
    /// Of the pages of audio, in order; counted on where the audio comes again.
    public var numbers: [Int] = []
    /// Of each link: its serial number and title, and how many pages of audio came before it.
    public var links: [(serial: UInt32, title: String?, after: Int)] = []
    /// Of the pages of audio.
    public var serials: [UInt32] = []
    public var sequences: [UInt32] = []
    public var granules: [UInt64] = []
    /// Bytes that are no page; what is left at the end is a page that is not whole yet.
    public var garbage = 0
  }

  /// Reads a stream as a player does.
  public func hear(_ stream: [UInt8]) -> Heard {
    var ear = ear
    return ear.hear(stream)
  }

  /// Somebody who begins to listen.
  public var ear: Ear { Ear(pages: pages.count, known: known) }

  /// Listens to a stream that goes on, and looks at every byte once.
  public struct Ear {
    fileprivate let pages: Int
    fileprivate let known: [[UInt8]: Int]
    private var heard = Heard()
    private var place = 0
    private var headers: [UInt8] = []

    fileprivate init(pages: Int, known: [[UInt8]: Int]) {
      self.pages = pages
      self.known = known
    }

    /// - Parameter stream: from its beginning, as far as it has come.
    public mutating func hear(_ stream: [UInt8]) -> Heard {
      while place < stream.count {
        switch OggPage.read(in: stream.span, at: place) {
        case .needMore: return heard
        case .none, .damaged:
          heard.garbage += 1
          place += 1
        case .page(let page): take(page, stream)
        }
      }
      return heard
    }

    private mutating func take(_ page: OggPage, _ stream: [UInt8]) {
      place = page.range.upperBound
      if page.flags.contains(.first) { headers = [] }
      if let number = known[Array(stream[page.range.lowerBound + 26..<place])] {
        return heard.add(page, number, of: pages)
      }
      headers += stream[page.range]
      if let found = OggHeaders.read(pages: headers.span) {
        heard.links.append(
          (found.serial, found.headers.comments.title?.text, heard.numbers.count))
        headers = []
      }
    }
  }
}

extension FakeOgg.Heard {
  fileprivate mutating func add(_ page: OggPage, _ number: Int, of count: Int) {
    let rounds = numbers.last.map { $0 / count + (number < $0 % count ? 1 : 0) } ?? 0
    numbers.append(rounds * count + number)
    serials.append(page.serial)
    sequences.append(page.sequence)
    granules.append(page.granule)
  }

  /// Every page follows the one before it.
  public var isUnbroken: Bool {
    garbage == 0 && zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 }
  }
}

extension FakeOgg {
  /// Appends pages to a log as ingest does: one logical stream, each link a title. `begins`: another logical stream.
  /// A station of two titles, the second from page 50 on, and a log in memory that has 120 pages of it.
  public static func twoTitles(_ codec: Fixtures.OggCodec) throws -> (ogg: FakeOgg, log: PacketLog)
  {
    let ogg = try FakeOgg(
      codec, channels: codec == .speex ? 1 : 2,
      links: [
        .init(page: 0, artist: "Nina Simone", title: "Sinnerman"),
        .init(page: 50, artist: "Björk", title: "Jóga"),
      ])
    var window = LogConfiguration()
    window.windowBytes = 4 << 20
    let log = PacketLog(memoryOnly: window, at: .now())
    ogg.append(0..<120, to: log, serial: 77, begins: true)
    return (ogg, log)
  }

  /// `comments`: bytes that the headers have in them besides.
  public func append(
    _ numbers: Range<Int>, to log: PacketLog, serial: UInt32, begins: Bool = false,
    comments: Int = 0
  ) {
    if begins {
      var headers = headers
      headers.comments.fields += (0..<comments / 1024).map {
        .init(key: "COMMENT\($0)", value: String(repeating: "x", count: 1000))
      }
      log.markHeaders(headers.pages(serial: serial))
    }
    for number in numbers {
      let link = link(at: number)
      if link.page == number {
        log.markTitle(
          Title(
            text: "\(link.artist) - \(link.title)",
            parts: TitleParts(artist: link.artist, title: link.title)))
      }
      var bytes = pages[number % pages.count].bytes
      var span = bytes.mutableSpan
      OggPage.stamp(
        &span, serial: serial, sequence: UInt32(16 + number),
        granule: UInt64(samples(before: number + 1)))
      log.append(bytes.span, samples: pages[number % pages.count].samples, format: format)
    }
    log.publish(at: .now())
  }
}
