import CLinux
import Wire

/// The form of a segment on the disk.
///
/// A segment is two files named by its first position in twenty digits: the audio and its index. The audio is stored as
/// it came (`.mp3`, `.aac`; `.ogg` and its kin with the stream headers in front), and any player plays it. The index is
/// beside it (`.idx`). A directory also has `log.id`: 16 random bytes that tell this log's segments from another's. All
/// numbers are little-endian, times are flicks (1/705,600,000 s), wall times nanoseconds since 1970, CRC is CRC32C.
///
///     index  = header record* [tail footer]
///
///     header   0  8  "LWINDEX" LF          32  8  first position
///     64 bytes 8  2  format version (1)    40  8  media time there
///             10  1  codec                 48  8  air time there
///             11  1  channels              56  4  bytes of stream headers
///             12  4  Hz                    60  4  CRC of bytes 0 to 59
///             16 16  the log's id
///
///     record   0  1  type                   1  2  length of the payload
///              3  n  payload              3+n  4  CRC of type, length and payload, going on from the header's CRC,
///                                                 so that no record of another file is taken for one of this
///
///     'S' span    8 position, 8 media time, 8 air time, 4 CRC of its audio, 4 bytes of audio,
///                 v packets, v usual duration, v length of each packet,
///                 v exceptions, v packet and v duration of each
///     'T' title   8 position, 8 media time, 2 bytes of text, text, 2 bytes of link, link;
///                 where there are more: 1 their number, and of each 2 bytes of key, key, 2 bytes of value, value;
///                 where it became known late (then there is a number): 8 media time of the log's edge then
///     'G' gap     8 position, 8 lost seconds as a double's bits, 1 cause
///     'A' anchor  8 position, 8 media time, 8 air time: a later one for the same media time replaces it
///     'B' boot    8 media time, 8 nanoseconds, 16 id of the machine's start: when the anchor at that media time was on
///                 air by the clock that runs since then
///     'L' loudness 8 media time, then 1 for each second from there on: 0 or (dB + 96) / 0.375
///     'O' origin  8 position, 16 id of another relay's log or zeros, 8 position there: where the packets from here on
///                 stand in the log that they were pulled from
///     'N' number  8 position, 8 media time, 8 programme time there, 8 life, 8 life of the original or zeros,
///                 8 cell, 8 number of its first piece, 8 changes of format up to the position, 4 delay of listing in
///                 milliseconds, 4 length of the packet in front or 0 (where a rendition begins: of its first packet),
///                 1 seconds of a cell, 1 bits: 1 a piece begins here, 2 times and numbers do not follow from those
///                 before; all but the changes holds from the cell on, the programme time of a rendition from here on
///     'F' footer  8 end position, 8 end media time, 8 offset of the tail, 4 packets, 4 spans
///
/// (v: a varint, LEB128.) A span covers at most half a second and follows the one before without a seam. Its entry is
/// written after its audio, and its packets' marks before its entry. A title that became known late stands before the
/// next span, or in the next segment. A sealed segment repeats all its marks in a tail and ends with the footer:
/// a scan reads a sealed segment's header, tail and footer, nothing else. Readers skip a record of an unknown type:
/// 'B', 'L', 'O' and 'N' came later. A version that does not know them uses the wall clock, shows no loudness, compares
/// what is sent again by its bytes, and lists nothing. The first 'N' of a segment tells the number reached there, and the
/// titles and cuts that are counted from its cell are repeated with it. Where the tail has more of 'L' than the records,
/// its last seconds came with the sealing.
enum SegmentFormat {
  static let version: UInt16 = 1
  static let magic: [UInt8] = Array("LWINDEX\n".utf8)
  static let headerBytes = 64
  static let footerBytes = 3 + 32 + 4
  static let indexExtension = "idx"
  static let idFile = "log.id"
  static let idBytes = 16
  /// The largest index that is read. A minute's index is 10 KB at 128 kbit/s; a longer file is not one of ours.
  static let indexBytesMax: UInt64 = 64 << 20
  /// The most bytes of a title's text or link, in UTF-8; ICY has at most 4,080.
  static let textBytesMax = 16_000

  static func name(_ position: UInt64) -> String {
    let digits = String(position)
    return String(repeating: "0", count: 20 - digits.utf8.count) + digits
  }

  /// Splits a file's name into the position and the extension; nil for any other name.
  static func parse(name: String) -> (position: UInt64, kind: String)? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 20, let position = UInt64(parts[0]) else {
      return nil
    }
    return (position, String(parts[1]))
  }
}

struct SegmentHeader: Hashable {
  var id: [UInt8]
  var start: LogPoint
  var air: WallTime
  var format: AudioFormat
  /// The number of bytes of stream headers at the audio file's beginning.
  var headerBytes: Int

  /// Returns the header's bytes and their CRC, from which the records' CRCs go on.
  func encoded() -> (bytes: [UInt8], seed: UInt32) {
    precondition(id.count == SegmentFormat.idBytes, "a log's id has 16 bytes")
    var writer = ByteWriter()
    writer.put(SegmentFormat.magic)
    writer.put(SegmentFormat.version)
    writer.put(format.codec.rawValue)
    writer.put(UInt8(clamping: format.channels))
    writer.put(UInt32(clamping: format.sampleRate))
    writer.put(id)
    writer.put(start.position)
    writer.put(start.media.stored)
    writer.put(air.stored)
    writer.put(UInt32(headerBytes))
    let seed = linux_crc32c(0, writer.bytes, writer.bytes.count)
    writer.put(seed)
    return (writer.bytes, seed)
  }

  enum Reading {
    case header(SegmentHeader, seed: UInt32)
    case unknownVersion(UInt16)
    case invalid
  }

  static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
    guard bytes.count >= SegmentFormat.headerBytes,
      bytes.prefix(8).elementsEqual(SegmentFormat.magic)
    else { return .invalid }
    var reader = ByteReader(bytes, at: 8)
    let version = reader.read(UInt16.self)!
    let body = SegmentFormat.headerBytes - 4
    var last = ByteReader(bytes, at: body)
    let seed = linux_crc32c(0, bytes.baseAddress, body)
    // Every version keeps magic, version and CRC in place, so a flipped bit is not taken for a new version.
    guard last.read(UInt32.self) == seed else { return .invalid }
    guard version == SegmentFormat.version else { return .unknownVersion(version) }
    let codec = Codec(rawValue: reader.read(UInt8.self)!)
    let channels = reader.read(UInt8.self)!
    let rate = reader.read(UInt32.self)!
    let id = Array(reader.read(bytes: SegmentFormat.idBytes)!)
    let position = reader.read(UInt64.self)!
    let media = reader.read(Int64.self)!
    let air = reader.read(Int64.self)!
    let headerBytes = reader.read(UInt32.self)!
    let start = LogPoint(position: position, media: MediaTime(stored: media))
    guard let codec, Bounds.sampleRates.contains(Int(rate)), start.isPlausible,
      headerBytes <= FormatMark.headersMax
    else { return .invalid }
    let header = SegmentHeader(
      id: id, start: start, air: WallTime(stored: air),
      format: AudioFormat(codec: codec, sampleRate: Int(rate), channels: Int(channels)),
      headerBytes: Int(headerBytes))
    return .header(header, seed: seed)
  }
}
