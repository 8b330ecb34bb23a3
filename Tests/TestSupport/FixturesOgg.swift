import Wire

/// An Ogg body taken apart by the demuxer, and put together again as a station's one logical stream.
public struct DemuxedOgg: Equatable, Sendable {
  public struct Page: Equatable, Sendable {
    public var bytes: [UInt8]
    public var samples: Int
    /// Samples at the ends of a link that are not heard.
    public var trim = PacketScanner.Packet.Trim()
    /// The samples that are heard, and those by which the granule grows.
    public var heard: Int
    public var granules: Int
    /// Which of the headers it belongs to.
    public var link: Int
  }

  /// Of each link.
  public var headers: [OggHeaders] = []
  public var pages: [Page] = []
  /// Samples of packets that are too long.
  public var lost: [Int] = []

  public var samples: Int { pages.reduce(0) { $0 + $1.samples } }

  /// Shows the demuxer the body in pieces of these lengths, in turn, as a connection would.
  public init(_ body: [UInt8], cuts: [Int] = [.max]) {
    var demuxer = OggDemuxer()
    var shown: [UInt8] = []
    var (from, cut, start) = (0, 0, 0)
    while start < body.count {
      let end = min(body.count, start + min(body.count, cuts[cut % cuts.count]))
      shown.removeFirst(from)
      from = 0
      shown += body[start..<end]
      (start, cut) = (end, cut + 1)
      take(&demuxer, shown, &from, atEnd: start == body.count)
    }
  }

  private mutating func take(
    _ demuxer: inout OggDemuxer, _ shown: [UInt8], _ from: inout Int, atEnd: Bool
  ) {
    var made: [UInt8] = []
    while let found = demuxer.next(in: shown.span, from: from, atEnd: atEnd, into: &made) {
      for item in found.items {
        switch item {
        case .headers(let next): headers.append(next)
        case .lost(let samples, _): lost.append(samples)
        case .packet(let packet):
          pages.append(
            Page(
              bytes: Array(made[packet.range]), samples: packet.samples, trim: packet.trim,
              heard: packet.heard, granules: packet.granules, link: headers.count - 1))
        }
      }
      precondition(found.end > from, "a finding has bytes")
      from = found.end
    }
  }

  /// The pages from `first` on behind the headers of the first link, in one logical stream.
  public func stream(from first: Int = 0, serial: UInt32 = 7) -> [UInt8] {
    var stream = headers[0].pages(serial: serial)
    var granule: UInt64 = 0
    var sequence: UInt32 = 16
    for (number, page) in pages.enumerated() {
      granule += UInt64(page.samples)
      var bytes = page.bytes
      var span = bytes.mutableSpan
      sequence += OggPage.stamp(&span, serial: serial, sequence: sequence, granule: granule)
      if number >= first { stream += bytes }
    }
    return stream
  }
}

extension Fixtures {
  /// What `ffmpeg` makes of an Ogg stream: samples per channel, and everything it complained of.
  public static func decodeOgg(_ bytes: [UInt8]) throws -> (samples: Int, log: String) {
    let scratch = TemporaryDirectory()
    let path = scratch.write("in.ogg", bytes)
    // Through a pipe, as a stream: of a file it would look for the end first.
    let decode =
      "cat \"$1\" | ffmpeg -nostdin -v error -f ogg -i - -ac 1 -f s16le -"
    let result = try Tool.run(["sh", "-c", decode, "sh", path], in: scratch)
    // Speex says how many channels there are, not where they stand; and streams that begin in the middle of a
    // programme, or one after another, do not count their time from zero.
    let known = ["Guessed Channel Layout", "non monotonically increasing dts"]
    let log = result.log.split(separator: "\n").filter { line in
      !known.contains { line.contains($0) }
    }
    return (result.output.count / 2, log.joined(separator: "\n"))
  }
}
