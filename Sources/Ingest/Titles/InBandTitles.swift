import Wire

/// Leads the titles of one connection's body, from ICY blocks and Ogg comments, to the packets that they belong to.
///
/// A place counts bytes of the pipeline's buffer. This type knows how blocks follow each other, and nothing of the log.
struct InBandTitles {
  // With a metaint of a few bytes, many blocks come in one packet.
  private static let waitingMax = 64

  private let reader: TitleReader
  /// The newest title read: a block may leave out what has not changed.
  private var newest = Title(text: "")
  /// Whether an Ogg stream's own comments have given a title.
  private var hasComments = false
  /// Titles whose packet is not yet whole, with the place at which each stood.
  private var waiting: [(place: Int, title: Title)] = []

  init(_ reader: TitleReader) { self.reader = reader }

  /// Reads a block at `place`, which is behind all waiting titles.
  mutating func read(block: [UInt8], at place: Int) {
    guard let title = reader.title(in: block, after: newest) else { return }
    newest = title
    if waiting.count == Self.waitingMax { waiting.removeFirst() }
    waiting.append((place, title))
  }

  /// Reads the comments of an Ogg link that begins at `place`. A link without a title ends the title of the link
  /// before.
  mutating func read(comments: VorbisComments, at place: Int) {
    let silence = hasComments ? Title(text: "") : nil
    guard let title = reader.title(in: comments) ?? silence else { return }
    hasComments = true
    newest = title
    let index = waiting.firstIndex { $0.place > place } ?? waiting.count
    waiting.insert((place, title), at: index)
  }

  /// Notes that the buffer has lost its first `count` bytes.
  mutating func dropped(_ count: Int) {
    for index in waiting.indices { waiting[index].place = max(0, waiting[index].place - count) }
  }

  /// The title of the packet that ends at `end`; the newest of several inside one packet.
  mutating func next(before end: Int) -> Title? {
    guard !waiting.isEmpty else { return nil }
    let due = waiting.prefix { $0.place < end }
    waiting.removeFirst(due.count)
    return due.last?.title
  }
}
