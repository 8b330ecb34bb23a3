import CLinux
import TestSupport
import Testing
import Wire

@testable import Timeshift

@Suite struct SegmentFormatTests {
  let header = SegmentHeader(
    id: Array(1...16), start: LogPoint(position: 417_000, media: MediaTime(seconds: 26)),
    air: WallTime(seconds: 1_767_225_600), format: TestPacket.format, headerBytes: 4711)

  private func read(_ bytes: [UInt8], _ seed: UInt32) -> SegmentRecord? {
    bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return SegmentRecord.read(&reader, seed: seed)
    }
  }

  private func titled(_ title: Title) -> SegmentRecord {
    .title(TitleMark(position: 0, media: .zero, title: title, air: .epoch))
  }

  @Test func `a header comes back as it was written`() {
    let (bytes, seed) = header.encoded()
    #expect(bytes.count == SegmentFormat.headerBytes)
    guard case .header(header, seed: seed) = bytes.withUnsafeBytes({ SegmentHeader.read($0) })
    else {
      Issue.record("the header was not read")
      return
    }
  }

  @Test func `every record comes back as it was written, and with one bit flipped not at all`() {
    let point = LogPoint(position: 417_417, media: MediaTime(seconds: 26.5))
    let mixed = [(417, 20_000), (418, 20_000), (90, 123), (32768, 20_000)].map {
      SpanRecord.Packet(bytes: UInt32($0.0), duration: UInt32($0.1))
    }
    let records: [SegmentRecord] = [
      .span(
        SpanRecord(start: point, air: WallTime(seconds: 5), crc: 0xdead_beef, packets: mixed)),
      .title(
        TitleMark(
          position: 5, media: MediaTime(seconds: 1), title: Title(text: "Ä – B", url: "http://x/"),
          air: .epoch)),
      .title(
        TitleMark(
          position: 5, media: MediaTime(seconds: 1), title: Title(text: "A"), air: .epoch,
          known: MediaTime(seconds: 9))),
      .title(
        TitleMark(
          position: 6, media: MediaTime(seconds: 2),
          title: Title(
            text: "A - B", parts: TitleParts(artist: "A", title: "B", artwork: "http://x/b.jpg"),
            extras: [.init(key: "adw_ad", value: "true"), .init(key: "note", value: "Ä")]),
          air: .epoch, known: MediaTime(seconds: 3))),
      .title(
        TitleMark(
          position: 6, media: MediaTime(seconds: 2),
          title: Title(
            text: "A - B", parts: TitleParts(artist: "A", title: "B"),
            item: TitleItem(
              number: 118, kind: .track, sample: 4711, track: TrackKey(high: 1 << 63, low: 7))),
          air: .epoch)),
      .gap(GapMark(position: 7, seconds: 2.25, cause: .restart)),
      .anchor(position: 9, media: MediaTime(seconds: 3), wall: WallTime(nanoseconds: -5)),
      .boot(
        media: MediaTime(seconds: 3),
        time: BootTime(
          id: BootID(bytes: Array(1...16)), time: MonotonicTime(nanoseconds: -7_000_000_000))),
      .footer(FooterRecord(end: point, tail: 99, packets: 4, spans: 1)),
      .origin(
        OriginMark(position: 417, place: RelayPlace(log: .random(), position: 1 << 40))),
      .origin(OriginMark(position: 834, place: nil)),
    ]
    for record in records {
      let bytes = record.encode(seed: 77)
      #expect(read(bytes, 77) == record)
      #expect(read(bytes, 78) == nil, "a record of another segment")
      for length in 0..<bytes.count { #expect(read(Array(bytes[..<length]), 77) == nil) }
      for bit in 0..<(bytes.count * 8) {
        var flipped = bytes
        flipped[bit / 8] ^= 1 << (bit % 8)
        #expect(read(flipped, 77) == nil)
      }
    }
  }

  @Test func `the footer has the length that recovery looks for`() {
    let footer = FooterRecord(end: .zero, tail: 0, packets: 0, spans: 0)
    #expect(SegmentRecord.footer(footer).encode(seed: 0).count == SegmentFormat.footerBytes)
  }

  @Test func `a title too long for a record is cut`() {
    let title = Title(text: String(repeating: "ö", count: 20_000))
    let bytes = titled(title).encode(seed: 1)
    guard case .title(let mark) = read(bytes, 1) else {
      Issue.record("the title was not read")
      return
    }
    #expect(mark.title.text == String(repeating: "ö", count: 8_000))
  }

  @Test func `extras that find no room in a record are left out, and the record stays whole`() {
    let extras = (0..<9).map {
      ICYMetadata.Field(key: "k\($0)", value: String(repeating: "ö", count: 1500))
    }
    let title = Title(text: "A", parts: TitleParts(title: "B"), extras: extras)
    let bytes = titled(title).encode(seed: 1)
    guard case .title(let mark) = read(bytes, 1) else {
      Issue.record("the title was not read")
      return
    }
    #expect(
      mark.title == Title(text: "A", parts: TitleParts(title: "B"), extras: Array(extras[..<5])))
  }

  @Test func `a title's record says when it became known, behind all that earlier versions read`() {
    let (text, media) = ([UInt8(ascii: "A")], MediaTime(stored: 0x0102))
    let head: [UInt8] = [5, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 1, 0] + text + [0, 0]
    func bytes(_ payload: [UInt8]) -> [UInt8] {
      let record = [UInt8(ascii: "T"), UInt8(payload.count), 0] + payload
      return record
        + withUnsafeBytes(of: linux_crc32c(7, record, record.count).littleEndian, Array.init)
    }
    func mark(_ known: Int64?) -> TitleMark {
      TitleMark(
        position: 5, media: media, title: Title(text: "A"), air: .epoch,
        known: known.map { MediaTime(stored: $0) })
    }
    // Known in time: the record of earlier versions.
    #expect(SegmentRecord.title(mark(nil)).encode(seed: 7) == bytes(head))
    let late: [UInt8] = head + [0] + [4, 3, 0, 0, 0, 0, 0, 0]
    #expect(SegmentRecord.title(mark(0x0304)).encode(seed: 7) == bytes(late))
    #expect(read(bytes(head), 7) == .title(mark(nil)))
    #expect(read(bytes(head + [0]), 7) == .title(mark(nil)))
    #expect(read(bytes(late), 7) == .title(mark(0x0304)))
    // A part of a time, one before the title's own, and impossible ones: known in time.
    for rest: [UInt8] in [
      [4, 3, 0], [1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0x20],
      [255, 255, 255, 255, 255, 255, 255, 255],
    ] {
      #expect(read(bytes(head + [0] + rest), 7) == .title(mark(nil)))
    }
  }

  @Test func `segments' names sort as their positions do`() {
    #expect(SegmentFormat.name(0) == "00000000000000000000")
    #expect(SegmentFormat.name(.max) == "18446744073709551615")
    #expect(SegmentFormat.parse(name: "00000000000000000417.mp3")?.position == 417)
    #expect(SegmentFormat.parse(name: "417.mp3") == nil)
    #expect(SegmentFormat.parse(name: "00000000000000000417.mp3.bad") == nil)
    #expect(SegmentFormat.parse(name: "99999999999999999999.idx") == nil)
  }
}
