/// Where the titles of a numbered upstream's connection stand, and where a listener must see them.
public struct TitlePlan: Sendable {
  public struct Mark: Sendable, Equatable {
    /// The packet in whose bytes the upstream's block stood.
    public var packet: UInt64
    public var title: String
  }

  public var marks: [Mark] = []

  /// The marks of a connection that began with packet `first` and sent a block every `metaint` bytes, up to packet
  /// `last`.
  public init(_ programme: FakeProgramme, metaint: Int, first: UInt64, through last: UInt64) {
    let base = NumberedFrames.position(of: first)
    var packet = first
    var at = base + UInt64(metaint)
    while at < NumberedFrames.position(of: last + 1) {
      while NumberedFrames.position(of: packet + 1) <= at { packet += 1 }
      // A block on the border of two packets is sent with the first of them, and marks the second.
      let isBorder = NumberedFrames.position(of: packet) == at
      let text = programme.title(at: Int(isBorder ? packet - 1 : packet))
      let title = String(decoding: text ?? [], as: UTF8.self)
      if text != nil, title != marks.last?.title {
        marks.append(Mark(packet: packet, title: title))
      }
      at += UInt64(metaint)
    }
  }

  /// The title in force at a position of the numbered stream.
  public func title(at position: UInt64) -> String? {
    marks.last { NumberedFrames.position(of: $0.packet) <= position }?.title
  }

  /// What a listener hears whose stream begins with packet `first` and is `bytes` of audio long, with a block every
  /// `metaint`: the audio byte and the title of each block that is not empty. One due at the very end is not counted.
  public func heard(first: UInt64, bytes: Int, metaint: Int) -> [(at: Int, title: String)] {
    let base = NumberedFrames.position(of: first)
    var titles: [(at: Int, title: String)] = []
    for at in stride(from: metaint, to: bytes, by: metaint) {
      guard let title = title(at: base + UInt64(at)) else { continue }
      if title != titles.last?.title { titles.append((at, title)) }
    }
    return titles
  }
}
