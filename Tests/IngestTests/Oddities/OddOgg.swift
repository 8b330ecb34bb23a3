import TestSupport

@testable import Wire

/// An Ogg stream in the making, page by page: Opus whose packets are 20 ms long and know their numbers.
struct OddOgg {
  private(set) var pages: [[UInt8]] = []
  private let serial: UInt32
  var sequence: UInt32 = 0
  /// What the next pages of audio say instead of the time they end at.
  var granule: UInt64?
  private var samples: UInt64 = 0

  init(serial: UInt32 = 1) { self.serial = serial }

  var bytes: [UInt8] { Array(pages.joined()) }

  /// A whole link: its headers with these comments (`TITLE=A`), and packets.
  static func link(
    _ numbers: Range<Int>, _ comments: String..., serial: UInt32 = 1
  ) -> OddOgg {
    var link = OddOgg(serial: serial)
    link.addHeaders(comments.map { Array($0.utf8) })
    link.addAudio(numbers)
    return link
  }

  mutating func addHeaders(_ comments: [[UInt8]] = []) {
    add(header: Self.opusHead, .first)
    add(header: Self.opusTags(comments), [])
  }

  mutating func add(header packet: [UInt8], _ flags: OggPage.Flags) {
    var made: [UInt8] = []
    OggPageWriter.append(
      header: packet, flags: flags, serial: serial, sequence: &sequence, to: &made)
    pages.append(made)
  }

  /// Packets of so many bytes, in pages of so many lacing values, wherever a packet ends.
  mutating func addAudio(_ numbers: Range<Int>, bytes: Int = 100, segments: Int = 10) {
    let packets = numbers.map { Self.packet($0, bytes: bytes) }
    var lacing = packets.flatMap { OggPageWriter.lacing($0.count) }[...]
    var body = packets.joined()[...]
    var isOpen = false
    while !lacing.isEmpty {
      let part = Array(lacing.prefix(segments))
      lacing = lacing.dropFirst(part.count)
      let count = part.reduce(0) { $0 + Int($1) }
      let ended = part.count { $0 < 255 }
      samples += UInt64(ended * 960)
      add(
        isOpen ? .continued : [], lacing: part, Array(body.prefix(count)),
        granule: granule ?? (ended == 0 ? .max : samples))
      body = body.dropFirst(count)
      isOpen = part.last == 255
    }
  }

  mutating func add(
    _ flags: OggPage.Flags, lacing: [UInt8], _ body: [UInt8], granule: UInt64 = .max
  ) {
    var page: [UInt8] = []
    OggPageWriter.append(flags, lacing, body, to: &page)
    var span = page.mutableSpan
    OggPage.stamp(&span, serial: serial, sequence: sequence, granule: granule)
    pages.append(page)
    sequence &+= 1
  }

  /// A page is replaced by something else, or taken away.
  mutating func spoil(_ page: Int, _ change: (inout [UInt8]) -> Void) { change(&pages[page]) }

  /// The last page says that the stream ends with it.
  mutating func end() {
    var page = pages.removeLast()
    page[5] |= OggPage.Flags.last.rawValue
    var span = page.mutableSpan
    OggPage.stamp(&span, serial: serial, sequence: sequence - 1, granule: samples)
    pages.append(page)
  }

  // MARK: Packets

  /// Stereo; 312 samples to be left out at the start.
  static let opusHead = Array("OpusHead".utf8) + [1, 2, 0x38, 1, 0x80, 0xBB, 0, 0, 0, 0, 0]

  static func opusTags(_ comments: [[UInt8]]) -> [UInt8] {
    func counted(_ text: [UInt8]) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: text.count >> (8 * $0)) } + text
    }
    let count = [UInt8(comments.count), 0, 0, 0]
    return Array("OpusTags".utf8) + counted(Array("test".utf8)) + count + comments.flatMap(counted)
  }

  /// Stereo at 48 kHz, one frame of 20 ms; its number behind the first byte.
  static func packet(_ number: Int, bytes: Int = 100) -> [UInt8] {
    [0xFC, UInt8(number >> 8), UInt8(number & 255)] + Odd.filling(bytes - 3, number)
  }
}

extension FakeReply {
  static func ogg(
    _ body: [UInt8], type: String? = "application/ogg", thenCloses: Bool = false
  ) -> FakeReply {
    let fields = type.map { ["Content-Type: \($0)"] } ?? []
    let all = Odd.head(["HTTP/1.0 200 OK"] + fields) + body
    return FakeReply(statusLine: nil, body: .pieces([all], pause: 0, thenCloses: thenCloses))
  }
}

/// What a log of such pages holds.
struct LoggedOgg {
  private(set) var numbers: [Int] = []
  private(set) var pages = 0
  private(set) var serials: Set<UInt32> = []
  /// Nothing but pages of whole packets, each stream's numbers and times without a jump.
  private(set) var isWhole = true

  init(_ bytes: [UInt8]) {
    var place = 0
    var last: OggPage?
    while case .page(let page) = OggPage.read(in: bytes.span, at: place) {
      let count = UInt64(take(bytes, page))
      if let last, last.serial == page.serial {
        let isNext =
          page.sequence == last.sequence + 1 && page.granule == last.granule + count * 960
        isWhole = isWhole && isNext
      }
      isWhole = isWhole && page.flags.subtracting(.begins) == []
      serials.insert(page.serial)
      (last, place) = (page, page.range.upperBound)
    }
    isWhole = isWhole && place == bytes.count
  }

  /// How many packets.
  private mutating func take(_ bytes: [UInt8], _ page: OggPage) -> Int {
    var assembler = OggAssembler()
    let packets = assembler.packets(of: page, in: bytes.span)
    pages += 1
    numbers += packets.map { Int($0[1]) << 8 | Int($0[2]) }
    return packets.count
  }
}
