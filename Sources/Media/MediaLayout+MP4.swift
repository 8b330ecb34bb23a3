import Timeshift
import Wire

extension MediaFile {
  /// Finds the media data of an MP4 file, and its first audio track. Blocks.
  func mp4() throws(StorageError) -> MediaLayout? {
    var (pieces, head): ([Range<UInt64>], MediaLayout.Head?) = ([], nil)
    var hasMovie = false
    try eachBox(0..<bytes) { (kind, content) throws(StorageError) in
      switch kind {
      case MP4Box.kind("mdat"): if !content.isEmpty { pieces.append(content) }
      case MP4Box.kind("moov"):
        if !hasMovie { head = try self.track(in: content) }
        hasMovie = true
      default: break
      }
      return true
    }
    guard !pieces.isEmpty, let head else { return nil }
    return MediaLayout(container: .mp4, pieces: pieces, head: head)
  }

  /// The first audio track.
  private func track(in movie: Range<UInt64>) throws(StorageError) -> MediaLayout.Head? {
    var (head, scale): (MediaLayout.Head?, Int?) = (nil, nil)
    var tracksLeft = MediaLayout.tracksMax
    try eachBox(movie, atMost: MediaLayout.innerBoxesMax) { (kind, content) throws(StorageError) in
      if kind == MP4Box.kind("mvhd") {
        scale =
          try self.parsed(at: content.lowerBound, count: 32, MP4MediaHeader.init(in:))?.timescale
      }
      if kind == MP4Box.kind("trak") {
        head = try self.head(of: content, movieScale: scale)
        tracksLeft -= 1
      }
      return head == nil && tracksLeft > 0
    }
    return head
  }

  private func head(
    of track: Range<UInt64>, movieScale: Int?
  ) throws(StorageError) -> MediaLayout.Head? {
    guard let media = try box("mdia", in: track), let handler = try box("hdlr", in: media),
      try piece(at: handler.lowerBound, count: 12).starts(with: "soun", at: 8),
      let times = try box("mdhd", in: media),
      let length = try parsed(at: times.lowerBound, count: 32, MP4MediaHeader.init(in:)),
      let table = try box("minf", "stbl", "stsd", in: media)
    else { return nil }
    // Version, flags and a count of entries; then the first entry: its head, and an audio sample entry (§12.2.3).
    let entry = try piece(at: table.lowerBound.saturatingAdd(8), count: 36)
    guard entry.count == 36, let box = MP4Box(in: entry.span) else { return nil }
    let channels = Int(entry[24]) << 8 | Int(entry[25])
    guard Bounds.channels.contains(channels) else { return nil }
    var head = MediaLayout.Head(
      sampleRate: length.timescale, channels: channels,
      samples: length.duration > 0 ? length.duration : nil, codec: box.kind)
    if let list = try self.box("edts", "elst", in: track),
      let edit = try parsed(at: list.lowerBound, count: 96, MP4Edit.init(in:))
    {
      head.delay = min(edit.start, length.duration)
      if edit.length > 0, let movieScale {
        // In the movie's units, which may be as coarse as a millisecond.
        let heard = Double(edit.length) / Double(movieScale) * Double(length.timescale)
        head.heard = Int64(bounded: heard.rounded(), in: 0...length.duration - head.delay)
      }
    }
    return head
  }

  /// The content of a box by its path; nil without.
  func box(
    _ names: StaticString..., in parent: Range<UInt64>
  ) throws(StorageError) -> Range<UInt64>? {
    var place = parent
    for name in names {
      var found: Range<UInt64>?
      try eachBox(place, atMost: MediaLayout.innerBoxesMax) {
        (kind, content) throws(StorageError) in
        if kind == MP4Box.kind(name) { found = content }
        return found == nil
      }
      guard let found else { return nil }
      place = found
    }
    return place
  }

  /// Passes on the boxes of one level, until `take` has enough. A damaged one ends them.
  func eachBox(
    _ range: Range<UInt64>, atMost max: Int = MediaLayout.partsMax,
    _ take: (_ kind: UInt32, _ content: Range<UInt64>) throws(StorageError) -> Bool
  ) throws(StorageError) {
    var place = range.lowerBound
    for _ in 0..<max where place < range.upperBound {
      guard let box = try parsed(at: place, count: MP4Box.headBytesMax, MP4Box.init(in:)) else {
        return
      }
      let content = place.saturatingAdd(UInt64(box.headBytes))
      let end = min(box.bytes.map { place.saturatingAdd($0) } ?? range.upperBound, range.upperBound)
      guard content <= end, try take(box.kind, content..<end) else { return }
      place = end
    }
  }
}
