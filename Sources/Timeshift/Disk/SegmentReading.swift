import CLinux
import Wire

/// What can be believed of a segment.
struct BelievedSegment {
  var info: SegmentInfo
  var marks: SegmentMarks
  /// Where its files are to be cut and the segment sealed; nil for a segment that is sealed already.
  var cut: SegmentCut?
  /// The length of the last packet; zero where the index was not read.
  var lastPacket = MediaTime.zero
}

/// The end of what is whole in a segment without a footer, or with damage.
struct SegmentCut {
  let file: SegmentFile
  let end: LogPoint
  /// Bytes of the index up to there.
  let indexLength: Int
  let packets: Int
  let spans: Int
  let marks: SegmentMarks

  init(_ scan: SegmentScan, of file: SegmentFile) {
    self.file = file
    end = scan.end
    indexLength = scan.length
    packets = scan.packetCount
    spans = scan.spans.count
    marks = scan.marks
  }

  /// The segment as if its files ended there.
  var info: SegmentInfo {
    SegmentInfo(
      start: file.start, end: end,
      bytes: end.position - file.start.position + UInt64(file.headerBytes + indexLength),
      file: file)
  }
}

/// Reads the files of one segment and changes nothing.
struct SegmentReading {
  let file: SegmentFile
  let files: FileCalls
  /// The most bytes of a sealed segment's tail; the writer keeps below this.
  private static let tailBytesMax: UInt64 = 4 << 20

  /// The segment as far as it can be believed; nil if nothing can.
  ///
  /// - Parameter isChecked: whether a sealed segment's audio is read as well. A power cut may have come before the sync;
  ///   a footer then proves nothing about the audio before it.
  func believed(isChecked: Bool) throws(StorageError) -> BelievedSegment? {
    let sealed = try sealed()
    if let sealed, !isChecked { return sealed }
    guard let scan = try scan(), !scan.spans.isEmpty else { return nil }
    if var sealed, scan.footer != nil {
      sealed.lastPacket = scan.lastPacket
      return sealed
    }
    let cut = SegmentCut(scan, of: file)
    return BelievedSegment(
      info: cut.info, marks: cut.marks, cut: cut, lastPacket: scan.lastPacket)
  }

  /// Reads the stream headers at the audio file's beginning; nil if a byte of them is wrong.
  func streamHeaders() throws(StorageError) -> [UInt8]? {
    guard file.headerBytes > 0 else { return file.format.codec.isOgg ? nil : [] }
    guard let bytes = try LogFolder.head(file.audioPath, file.headerBytes, files),
      let found = OggHeaders.read(pages: bytes.span), found.headers.format == file.format
    else { return nil }
    return bytes
  }

  /// Reads an index up to the first span whose audio is not what was written.
  func scan() throws(StorageError) -> SegmentScan? {
    guard let index = try LogFolder.open(file.indexPath, files),
      let audio = try LogFolder.open(file.audioPath, files)
    else {
      return nil
    }
    let size = try index.size()
    guard size <= SegmentFormat.indexBytesMax else { return nil }
    var failure: StorageError?
    let scan = SegmentScan(try index.read(Int(size), at: 0)) { span in
      do throws(StorageError) {
        return try isWhole(span, audio)
      } catch {
        failure = error
        return false
      }
    }
    // Nothing is cut if the disk did not give the audio: it may be whole.
    if let failure { throw failure }
    return scan
  }

  private func isWhole(_ span: SpanRecord, _ audio: LogFile) throws(StorageError) -> Bool {
    let count = Int(span.bytes)
    let offset = span.start.position - file.start.position + UInt64(file.headerBytes)
    let bytes = try audio.read(count, at: offset)
    return bytes.count == count && linux_crc32c(0, bytes, count) == span.crc
  }

  /// The segment by its footer; nil without one.
  private func sealed() throws(StorageError) -> BelievedSegment? {
    guard let index = try LogFolder.open(file.indexPath, files),
      let audio = try LogFolder.open(file.audioPath, files)
    else {
      return nil
    }
    let (size, audioSize) = (try index.size(), try audio.size())
    guard let footer = try footer(index, size), footer.end.position > file.start.position,
      footer.end.position - file.start.position + UInt64(file.headerBytes) == audioSize,
      let marks = try tail(index, footer, size)
    else { return nil }
    let info = SegmentInfo(
      start: file.start, end: footer.end, bytes: audioSize + size, file: file)
    return BelievedSegment(info: info, marks: marks)
  }

  private func footer(_ index: LogFile, _ size: UInt64) throws(StorageError) -> FooterRecord? {
    let length = UInt64(SegmentFormat.footerBytes)
    guard size >= length + UInt64(SegmentFormat.headerBytes) else { return nil }
    let bytes = try index.read(Int(length), at: size - length)
    return bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      guard case .footer(let footer) = SegmentRecord.read(&reader, seed: file.seed) else {
        return nil
      }
      return footer
    }
  }

  private func tail(
    _ index: LogFile, _ footer: FooterRecord, _ size: UInt64
  ) throws(StorageError) -> SegmentMarks? {
    let end = size - UInt64(SegmentFormat.footerBytes)
    guard footer.tail >= UInt64(SegmentFormat.headerBytes), footer.tail <= end,
      end - footer.tail <= Self.tailBytesMax
    else { return nil }
    let bytes = try index.read(Int(end - footer.tail), at: footer.tail)
    return bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      var marks = SegmentMarks()
      while let record = SegmentRecord.read(&reader, seed: file.seed) { marks.add(record) }
      return reader.left == 0 ? marks : nil
    }
  }
}
