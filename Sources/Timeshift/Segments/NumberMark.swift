import Wire

/// How a station's log is divided for HLS.
public struct CellSettings: Hashable, Sendable {
  /// How much later than its end a cell is listed, so that titles may come late: 0 to 60 s.
  public var delay: MediaTime
  /// The length of a cell in seconds, 2 to 10.
  public var seconds: Int

  /// Limits both to their ranges; `delay` to whole milliseconds.
  public init(delay: MediaTime = .zero, seconds: Int = 6) {
    self.delay = MediaTime(milliseconds: min(max(0, delay.milliseconds), Self.delayMax))
    self.seconds = min(max(PieceKey.seconds.lowerBound, seconds), PieceKey.seconds.upperBound)
  }

  /// The length of a cell.
  var length: MediaTime { MediaTime(second: Int64(clamping: seconds)) }

  /// Milliseconds.
  static let delayMax: Int64 = 60_000
}

/// How far a log has come in programme time and in numbers; a log without a past goes on from there.
public struct NumberStart: Hashable, Sendable {
  public var programme: MediaTime
  /// The number of the first piece.
  public var number: Int64
  public var discontinuities: Int64

  public init(programme: MediaTime, number: Int64, discontinuities: Int64) {
    self.programme = programme
    self.number = number
    self.discontinuities = discontinuities
  }
}

/// From the border of `cell` on: how programme time is divided into cells, who wrote them, and their numbers.
///
/// Programme time is media time plus a distance. When the packet at `position` came, the pieces in front of `cell` could
/// not change any more. So the number is final, although titles become known late.
public struct NumberMark: Hashable, Sendable {
  public var position: UInt64
  public var media: MediaTime
  /// The packet's programme time.
  public var programme: MediaTime
  /// 48 random bits, drawn whenever a process opens or makes the log, or its settings change; at each mark of a
  /// rendition.
  public var life: UInt64
  /// For a rendition: the original's life in force there, whose programme time it has; else 0.
  public var original: UInt64 = 0
  /// The cell from which on this mark holds.
  public var cell: Int64
  /// The number of the first piece of `cell`.
  public var number: Int64
  /// How often the format had changed, at the packet itself.
  public var discontinuities: Int64
  public var settings = CellSettings()
  /// The length of the packet in front; zero where it is not known. Where a rendition begins: of its first packet.
  public var before = MediaTime.zero
  /// Whether a piece begins here: at another format, and behind a gap in which time is missing.
  public var isCut = false
  /// Whether programme time or numbers do not follow from the marks before.
  public var isJump = false

  /// A life that no other has.
  static func newLife() -> UInt64 { .random(in: 1..<1 << lifeBits) }
  static let lifeBits: UInt64 = 48

  /// The media time at which a cell begins.
  func start(of cell: Int64) -> MediaTime {
    media + (settings.length.times(cell) - programme)
  }

  /// The media time from which on this mark holds.
  var border: MediaTime { start(of: cell) }

  func programme(at media: MediaTime) -> MediaTime { programme + (media - self.media) }

  /// The cell that holds a media time.
  func cell(at media: MediaTime) -> Int64 {
    programme(at: media).count(of: settings.length)
  }

  /// The first cell that begins at `media` or later.
  func cell(from media: MediaTime) -> Int64 {
    let cell = cell(at: media)
    return start(of: cell) < media ? cell + 1 : cell
  }

  /// The same mark for media times that are later by `shift`.
  func moved(by shift: MediaTime) -> NumberMark {
    var mark = self
    mark.media += shift
    return mark
  }
}

/// A place in the programme of a rendition's original.
public struct ProgrammePlace: Hashable, Sendable {
  /// The original's programme time.
  var time: MediaTime
  /// The original's life in force there.
  var life: UInt64

  /// Whether a mark of it can be written, and read again.
  var isPlausible: Bool {
    LogPoint(position: 0, media: time).isPlausible && life < 1 << NumberMark.lifeBits && life != 0
  }
}

/// A number mark's part of an index record; `SegmentFormat` shows its bytes.
enum NumberRecord {
  private static let cutBit: UInt8 = 1
  private static let jumpBit: UInt8 = 2
  /// What URLs can name: more than any station reaches, and sums of such values cannot overflow.
  static let cells = 0..<Int64(PieceName.cellsEnd)
  private static let numbers = 0..<Int64(PieceName.numbersEnd)

  static func put(_ mark: NumberMark, into payload: inout ByteWriter) {
    payload.put(mark.position)
    payload.put(mark.media.stored)
    payload.put(mark.programme.stored)
    payload.put(mark.life)
    payload.put(mark.original)
    payload.put(mark.cell)
    payload.put(mark.number)
    payload.put(mark.discontinuities)
    payload.put(UInt32(clamping: mark.settings.delay.milliseconds))
    payload.put(UInt32(clamping: mark.before.stored))
    payload.put(UInt8(clamping: mark.settings.seconds))
    payload.put((mark.isCut ? cutBit : 0) | (mark.isJump ? jumpBit : 0))
  }

  /// Reads a mark; nil if it is not whole, or beyond all that a log has.
  static func read(_ reader: inout ByteReader) -> NumberMark? {
    guard let position = reader.read(UInt64.self), let media = reader.read(Int64.self),
      let programme = reader.read(Int64.self), let life = reader.read(UInt64.self),
      let original = reader.read(UInt64.self), let cell = reader.read(Int64.self),
      let number = reader.read(Int64.self), let discontinuities = reader.read(Int64.self),
      let delay = reader.read(UInt32.self), let before = reader.read(UInt32.self),
      let seconds = reader.read(UInt8.self), let bits = reader.read(UInt8.self)
    else { return nil }
    guard LogPoint(position: position, media: MediaTime(stored: media)).isPlausible,
      LogPoint(position: 0, media: MediaTime(stored: programme)).isPlausible,
      max(life, original) < 1 << NumberMark.lifeBits, cells.contains(cell),
      numbers.contains(number), numbers.contains(discontinuities), delay <= CellSettings.delayMax,
      PieceKey.seconds.contains(Int(clamping: seconds))
    else { return nil }
    let settings = CellSettings(
      delay: MediaTime(milliseconds: Int64(delay)), seconds: Int(clamping: seconds))
    let time = MediaTime(stored: programme)
    guard cell <= time.count(of: settings.length) + 1 else { return nil }
    return NumberMark(
      position: position, media: MediaTime(stored: media), programme: time, life: life,
      original: original, cell: cell, number: number, discontinuities: discontinuities,
      settings: settings, before: MediaTime(stored: Int64(before)), isCut: bits & cutBit != 0,
      isJump: bits & jumpBit != 0)
  }
}
