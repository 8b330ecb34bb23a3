import Timeshift
import Wire

/// The packets of an MP4 file's first audio track in their order, by the tables of its head (stsz, stsc, stco and co64,
/// ISO/IEC 14496-12 §8.6 and §8.7).
///
/// Tables are read piece by piece. All packets together have no more bytes than the file, so that no table makes more
/// work than the file has bytes.
package struct MediaSamples {
  /// A table of whole numbers in the file, of which a piece is in memory.
  private struct Words {
    var range: Range<UInt64>
    /// Bytes of a number, 4 or 8.
    var width: UInt64 = 4
    var held: [UInt8] = []
    var heldFrom: UInt64 = 0

    var count: UInt64 { UInt64(range.count) / width }

    private static let pieceBytes = 16 * 1024

    mutating func word(_ index: UInt64, in file: MediaFile) throws(StorageError) -> UInt64? {
      guard index < count else { return nil }
      let place = range.lowerBound + index * width
      if place < heldFrom || place + width > heldFrom + UInt64(held.count) {
        held = try file.piece(at: place, count: Self.pieceBytes)
        heldFrom = place
      }
      let first = Int(place - heldFrom)
      guard first + Int(width) <= held.count else { return nil }
      return held[first..<first + Int(width)].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  package let setup: MP4SampleEntry
  private var sizes: Words
  /// The size of all packets; 0: each has its own.
  private let size: UInt64
  package let count: UInt64
  /// Whether there can be so many packets: each has an entry of its own, or all have bytes.
  package let isCredible: Bool
  private var chunks: Words
  /// Three words an entry: the first chunk, counted from 1, the packets of each chunk, and its description.
  private var runs: Words
  private var next = (packet: UInt64(0), chunk: UInt64(0), run: UInt64(0), left: UInt64(0))
  private var place: UInt64 = 0
  private var bytesLeft: UInt64

  package static let packetBytesMax = 1 << 20

  init?(_ file: MediaFile, table: Range<UInt64>) throws(StorageError) {
    func content(_ name: StaticString) throws(StorageError) -> Range<UInt64>? {
      try file.box(name, in: table)
    }
    func words(
      _ range: Range<UInt64>, skipping head: UInt64, width: UInt64 = 4
    ) -> Words {
      let from = min(range.lowerBound.saturatingAdd(head), range.upperBound)
      return Words(range: from..<range.upperBound, width: width)
    }
    guard let descriptions = try content("stsd"), let sizes = try content("stsz"),
      let runs = try content("stsc"),
      let entry = try file.parsed(
        at: descriptions.lowerBound.saturatingAdd(8), count: MP4SampleEntry.bytesMax,
        MP4SampleEntry.init(in:))
    else { return nil }
    let near = try content("stco")
    let far = near == nil ? try content("co64") : nil
    guard let chunks = near ?? far else { return nil }
    setup = entry
    // Version and flags, the size of all or 0, and the number of packets.
    let head = try file.piece(at: sizes.lowerBound, count: 12)
    guard head.count == 12 else { return nil }
    size = head[4..<8].reduce(0) { $0 << 8 | UInt64($1) }
    count = head[8..<12].reduce(0) { $0 << 8 | UInt64($1) }
    // Fragments have their packets elsewhere.
    if count == 0 { return nil }
    self.sizes = words(sizes, skipping: 12)
    isCredible = size > 0 ? count <= file.bytes : count <= self.sizes.count
    self.chunks = words(chunks, skipping: 8, width: near == nil ? 8 : 4)
    self.runs = words(runs, skipping: 8)
    bytesLeft = file.bytes
  }

  /// The place of the next packet; nil behind the last. Blocks.
  package mutating func next(in file: MediaFile) throws(StorageError) -> Range<UInt64>? {
    while next.left == 0 {
      guard let offset = try chunks.word(next.chunk, in: file) else { return nil }
      place = offset
      // The run that holds is the last one that begins at this chunk or before.
      while let first = try runs.word((next.run + 1) * 3, in: file), first <= next.chunk + 1,
        first > 0
      {
        next.run += 1
      }
      guard let packets = try runs.word(next.run * 3 + 1, in: file) else { return nil }
      next.left = packets
      next.chunk += 1
    }
    guard next.packet < count else { return nil }
    let own = size > 0 ? size : try sizes.word(next.packet, in: file)
    guard let own, own <= UInt64(Self.packetBytesMax), own <= bytesLeft else { return nil }
    let range = place..<place.saturatingAdd(own)
    bytesLeft -= own
    place = range.upperBound
    next.packet += 1
    next.left -= 1
    return range
  }
}

extension MediaFile {
  /// Returns the packets of the file's first audio track; nil where its head does not list them. Blocks.
  package func samples() throws(StorageError) -> MediaSamples? {
    guard let movie = try box("moov", in: 0..<bytes) else { return nil }
    var found: Range<UInt64>?
    var tracksLeft = MediaLayout.tracksMax
    try eachBox(movie, atMost: MediaLayout.innerBoxesMax) { (kind, content) throws(StorageError) in
      guard kind == MP4Box.kind("trak") else { return true }
      tracksLeft -= 1
      if let media = try self.box("mdia", in: content),
        let handler = try self.box("hdlr", in: media),
        try self.piece(at: handler.lowerBound, count: 12).starts(with: "soun", at: 8)
      {
        found = try self.box("minf", "stbl", in: media)
      }
      return found == nil && tracksLeft > 0
    }
    guard let found else { return nil }
    return try MediaSamples(self, table: found)
  }
}
