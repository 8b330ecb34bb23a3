import CTag
import Wire

/// Reads the tags of one open file in this process. Only the tag reader's child may do that: what TagLib reads may be
/// hostile.
enum TagFile {
  /// Why a file gives no tags.
  enum Refusal: String, Error, Hashable, Sendable {
    /// The file's container is none that has tags.
    case unknown
    /// The tags need more memory than a reader has.
    case tooLarge = "too-large"
    case failed
  }

  static func read(_ file: Int32) throws(Refusal) -> TagFields {
    var collector = TagCollector()
    // The visitor's functions run during the call only, and get the collector that it was given.
    let result = withUnsafeMutablePointer(to: &collector) { collector in
      var visitor = ctag_visitor(
        context: collector,
        field: { context, source, name, text in
          guard let name, let source = TagCollector.Source(rawValue: Int(source)) else { return }
          TagFile.collector(context).pointee.add(
            String(cString: name), TagFile.bytes(text), isDeclaredLatin1: text.is_latin1 != 0,
            from: source)
        },
        picture: { context, _, kind, offset, count in
          TagFile.collector(context).pointee.addPicture(
            kind: Int(kind), offset: offset, bytes: count)
        },
        chapter: { context, start, end, title in
          TagFile.collector(context).pointee.addChapter(
            start: start, end: end, TagFile.bytes(title), isDeclaredLatin1: title.is_latin1 != 0)
        },
        line: { context, time, text in
          TagFile.collector(context).pointee.addLine(
            time: time, TagFile.bytes(text), isDeclaredLatin1: text.is_latin1 != 0)
        })
      return ctag_read(file, &visitor)
    }
    switch Int(result) {
    case CTAG_READ: return collector.finished()
    case CTAG_UNKNOWN: throw .unknown
    case CTAG_TOO_LARGE: throw .tooLarge
    default: throw .failed
    }
  }

  private static func collector(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<
    TagCollector
  > {
    context!.assumingMemoryBound(to: TagCollector.self)
  }

  private static func bytes(_ text: ctag_text) -> UnsafeBufferPointer<UInt8> {
    let bytes = UnsafeRawPointer(text.bytes)?.assumingMemoryBound(to: UInt8.self)
    return UnsafeBufferPointer(start: bytes, count: text.count)
  }
}
