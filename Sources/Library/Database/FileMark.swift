import Media
import Wire

/// A number by which a look sees without reading its row whether a file has changed: FNV-1a of 64 bits over all that is
/// stored of it. The same in every process.
struct FileMark {
  private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

  static func of(_ file: MusicFile) -> Int64 {
    var mark = FileMark()
    mark.add(file.identity)
    mark.add(file.key.high)
    mark.add(file.key.low)
    mark.add(UInt64(file.format.codec.rawValue))
    mark.add(file.coding.rawValue)
    mark.add(Int64(file.format.sampleRate))
    mark.add(Int64(file.format.channels))
    mark.add(file.seconds.bitPattern)
    mark.add(file.isExact)
    mark.add(file.isRead)
    mark.add(Int64(file.year ?? 0))
    let details = file.details
    for text in [
      file.title, file.artist, file.album, details.albumArtist, details.isrc, details.label,
    ] + details.genres { mark.add(text) }
    mark.add(Int64(details.disc ?? 0))
    mark.add(Int64(details.number ?? 0))
    mark.add(Int64(details.bitrate))
    mark.add(UInt64(details.lyrics?.rawValue ?? 0))
    mark.add(details.isGuessed)
    mark.add(details.picture?.offset ?? 0)
    mark.add(details.picture?.bytes ?? 0)
    if file.hasCover { mark.add(true) }
    let levels = file.levels
    for level in [levels.track, levels.album, levels.trackPeak, levels.albumPeak] {
      mark.add(level != nil)
      mark.add(level?.bitPattern ?? 0)
    }
    return mark.value
  }

  static func of(_ refused: MusicFolder.Refused) -> Int64 {
    var mark = FileMark()
    mark.add(refused.identity)
    mark.add(refused.reason)
    mark.add(refused.isTriedAgain)
    return mark.value
  }

  private var value: Int64 { Int64(bitPattern: hash) }

  private mutating func add(_ identity: MediaFile.Identity) {
    add(identity.device)
    add(identity.inode)
    add(identity.bytes)
    add(identity.modified)
  }

  private mutating func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }

  private mutating func add(_ number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  private mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }

  private mutating func add(_ flag: Bool) { add(flag ? UInt8(1) : 0) }

  /// With an end, so that letters that move from one text to the next are seen.
  private mutating func add(_ text: String) {
    for byte in text.utf8 { add(byte) }
    add(UInt8(0xFF))
  }
}
