import Foundation
import GRDB
import Media
import Timeshift
import Wire

// What the last run has found, so that nothing is read again that has not changed.
extension LibraryStore {
  /// Returns what is known of a root: files that are there, and those that cannot be played.
  ///
  /// - Parameter folder: the path of the root.
  public func known(_ name: String, at folder: String) throws(LibraryError) -> MusicFolder {
    try read { db in
      let nothing = MusicFolder(folder)
      let row = try Row.fetchOne(
        db, sql: "SELECT id, scanned FROM root WHERE name = ?", arguments: [name])
      guard let root = row?.integer("id") else { return nothing }
      var (found, refused) = ([MusicFile](), [MusicFolder.Refused]())
      let texts = SharedTexts()
      let files = try Row.fetchCursor(
        db,
        sql: """
          SELECT path, bytes, modified, inode, device, pictureAt, pictureBytes,
            trackGain, albumGain, trackPeak, albumPeak, isRead, track.*
          FROM file JOIN track ON track.id = file.track
          WHERE root = ? AND missingSince IS NULL AND failed IS NULL ORDER BY path
          """, arguments: [root])
      while let row = try files.next() {
        guard var file = Self.file(row, in: folder) else { continue }
        texts.share(&file)
        found.append(file)
      }
      let problems = try Row.fetchCursor(
        db, sql: "SELECT * FROM problem WHERE root = ? ORDER BY path", arguments: [root])
      while let row = try problems.next() {
        guard let path = row.bytes("path"), let reason = row.text("reason") else { continue }
        refused.append(
          MusicFolder.Refused(
            path: path, identity: Self.identity(row), reason: reason,
            isTriedAgain: row.flag("isTriedAgain")))
      }
      return MusicFolder(
        folder, files: found, refused: refused, isWhole: row?.integer("scanned") != nil)
    }
  }

  /// Returns what is kept of a root to judge the next look by; nil of one that was never believed.
  public func memory(of name: String) throws(LibraryError) -> RootMemory? {
    try read { db in
      let found = try Row.fetchOne(
        db, sql: "SELECT * FROM root WHERE name = ?", arguments: [name])
      guard let row = found, let device = row.integer("device"),
        let state = row.text("state").flatMap(RootState.init(rawValue:))
      else { return nil }
      return RootMemory(
        device: UInt64(bitPattern: device), files: Int(clamping: max(0, row.integer("files") ?? 0)),
        scanned: row.integer("believed") ?? 0, state: state)
    }
  }

  /// Returns where a root was when it was written or kept last; nil of one that never was.
  public func path(of name: String) throws(LibraryError) -> String? {
    try read { db in
      try Row.fetchOne(db, sql: "SELECT path FROM root WHERE name = ?", arguments: [name])?
        .text("path")
    }
  }

  /// - Parameter path: where the root is.
  public func keep(
    _ memory: RootMemory, of name: String, at path: String
  ) throws(LibraryError) {
    try write { db in
      try db.execute(
        sql: """
          INSERT INTO root(name, path, device, files, believed, state) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT(name) DO UPDATE SET path = excluded.path, device = excluded.device,
            files = excluded.files, believed = excluded.believed, state = excluded.state
          """,
        arguments: [
          name, path, LibraryWriter.stored(memory.device), memory.files, memory.scanned,
          memory.state.rawValue,
        ])
    }
  }

  private static func file(_ row: Row, in folder: String) -> MusicFile? {
    guard let path = row.bytes("path"), let track = track(row) else { return nil }
    var file = MusicFile(
      root: folder, path: path, identity: identity(row), key: track.key, format: track.format,
      seconds: track.seconds, isExact: track.isExact, title: track.title, artist: track.artist,
      album: track.album, year: track.year, details: track.details)
    file.coding = track.coding
    file.isRead = row.flag("isRead")
    file.details.picture = picture(row)
    file.hasCover = row.integer("pictureAt") != nil && file.details.picture == nil
    file.levels = levels(row)
    return file
  }

  private static func levels(_ row: Row) -> TrackGain {
    let (gains, peaks) = (TrackGain.gains, TrackGain.peaks)
    return TrackGain(
      track: row.real("trackGain", in: gains), album: row.real("albumGain", in: gains),
      trackPeak: row.real("trackPeak", in: peaks), albumPeak: row.real("albumPeak", in: peaks))
  }

  static func identity(_ row: Row) -> MediaFile.Identity {
    func number(_ column: String) -> UInt64 { UInt64(bitPattern: row.integer(column) ?? 0) }
    return MediaFile.Identity(
      device: number("device"), inode: number("inode"), bytes: number("bytes"),
      modified: row.integer("modified") ?? 0)
  }

  static func picture(_ row: Row) -> MusicDetails.Picture? {
    guard let offset = row.integer("pictureAt"), let bytes = row.integer("pictureBytes") else {
      return nil
    }
    return MusicDetails.Picture(
      offset: UInt64(bitPattern: offset), bytes: UInt64(bitPattern: bytes))
  }

  /// Returns a track in the bounds that a look keeps; nil of a row that no look has written.
  static func track(_ row: Row) -> LibraryTrack? {
    guard let key = TrackKey(bytes: row.bytes("key") ?? []),
      let codec = (row.integer("codec").flatMap { UInt8(exactly: $0) }).flatMap(Codec.init)
    else { return nil }
    func number(_ column: String, _ bounds: ClosedRange<Int64>) -> Int? {
      row.integer(column).flatMap { bounds.contains($0) ? Int($0) : nil }
    }
    var details = MusicDetails()
    details.albumArtist = row.text("albumArtist") ?? ""
    (details.disc, details.number) = (number("disc", 1...9999), number("number", 1...9999))
    details.genres = (row.text("genres") ?? "").split(separator: LibrarySchema.separator)
      .map(String.init)
    (details.isrc, details.label) = (row.text("isrc") ?? "", row.text("label") ?? "")
    details.bitrate = number("bitrate", 0...1_000_000_000) ?? 0
    details.lyrics = number("lyrics", 0...255).flatMap { .init(rawValue: UInt8($0)) }
    details.isGuessed = row.flag("guessed")
    let seconds = row.real("seconds") ?? 0
    let coding = row.text("coding").flatMap(MusicCoding.init) ?? .packets
    return LibraryTrack(
      key: key, title: row.text("title") ?? "", artist: row.text("artist") ?? "",
      album: row.text("album") ?? "", year: number("year", 1...9999), details: details,
      seconds: seconds.isFinite && seconds >= 0 ? seconds : 0, isExact: row.flag("exact"),
      format: AudioFormat(
        codec: codec, sampleRate: number("sampleRate", 0...10_000_000) ?? 0,
        channels: number("channels", 0...255) ?? 0), coding: coding,
      added: WallTime(unixSeconds: row.integer("added") ?? 0), hasPicture: row.flag("hasPicture"),
      problem: row.text("reason"))
  }
}
