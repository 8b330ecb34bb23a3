import Glibc
import Media
import Timeshift
import Wire

/// Looks through a folder for music, on the thread that calls it.
///
/// Files that have not changed since the last look are not opened. Of the others the head, the end, three pieces of the
/// audio and the tags are read. The folder stays open meanwhile: what is unmounted in between is no deletion.
public struct MusicScan {
  /// Number of files that are looked at first, for programmes that begin.
  public static let firstFiles = 200
  /// Seconds for which the first files are looked for, and how many are; of a larger folder, those that were found by
  /// then.
  private static let (firstSeconds, firstFound) = (1.0, 10_000)
  /// Seconds for which a file is left alone after it was written to.
  public static let settleSeconds = 5.0
  /// Endings of names of audio files, in lower case.
  private static let endings: Set<[UInt8]> = Set(
    [
      "mp3", "mp2", "mpga", "aac", "ogg", "oga", "opus", "flac", "m4a", "m4b", "mp4", "wav", "aif",
      "aiff",
    ].map {
      Array($0.utf8)
    })
  /// The most files and names of a folder that are looked at, and the deepest folder.
  static let (filesMax, namesMax, depthMax) = (2_000_000, 8_000_000, 32)

  let root: String
  let hidden: PrivateFolder?
  let known: MusicFolder
  private let takesFile: Bool
  private let tags: TagReader?
  private let texts = SharedTexts()
  /// Called with a folder below the root, before it is read.
  let enter: (_ folder: [UInt8]) -> Void
  /// Called with the number of files looked at, again and again; false ends the look.
  let goesOn: (_ files: Int) -> Bool

  /// - Parameters:
  ///   - root: a folder, or one file.
  ///   - takesFile: whether one file is music, too.
  ///   - hidden: the folder of the relay's own files, which is left out.
  ///   - known: what the last look has found.
  ///   - tags: nil: names of files say what they are.
  ///   - enter: called with each folder below the root before it is read.
  ///   - goesOn: called with the number of files that were looked at, as they come; false ends the look.
  public init(
    _ root: String, takesFile: Bool = true, hidden: PrivateFolder? = nil, known: MusicFolder? = nil,
    tags: TagReader?,
    enter: @escaping (_ folder: [UInt8]) -> Void = { _ in },
    goesOn: @escaping (_ files: Int) -> Bool = { _ in true }
  ) {
    (self.root, self.takesFile, self.hidden, self.tags) = (root, takesFile, hidden, tags)
    (self.enter, self.goesOn) = (enter, goesOn)
    self.known = known ?? MusicFolder(root)
  }

  /// Looks through all of the folder. Blocks.
  public func look() -> MusicLook {
    look(isPartial: false) { $0.walk([]) { _ in true } }
  }

  /// Looks through folders of which something has changed, and through folders in them that are new; what is known of
  /// the rest stays. Blocks.
  ///
  /// - Parameters:
  ///   - folders: below the root; the empty path is the root itself.
  ///   - isWatched: whether what changes in a folder is told by itself, so that it needs no look.
  public func look(
    at folders: some Sequence<[UInt8]>, isWatched: @escaping (_ folder: [UInt8]) -> Bool
  ) -> MusicLook {
    look(isPartial: true) { gathering in
      for folder in folders.sorted(by: PathOrder.precedes) where !gathering.hasWalked(folder) {
        gathering.walk(folder) { !isWatched($0) }
      }
    }
  }

  /// Looks at the first files that there are, in the order of their paths unless there are very many. Blocks.
  public func first() -> MusicFolder {
    let deadline = MonotonicTime.now().nanoseconds.saturatingAdd(
      Int64(nanosecondsIn: Self.firstSeconds))
    var isWhole = true
    let look = look(isPartial: false) { gathering in
      gathering.walk([], until: deadline, most: Self.firstFound) { _ in true }
      isWhole = gathering.failures == 0
      isWhole = gathering.keepFirst(Self.firstFiles) && isWhole
    }
    var folder = look.folder
    folder.isWhole = isWhole && look.trouble == nil && look.unsettled.isEmpty
    return folder
  }

  /// Looks at these files of the folder; what is known of others stays. Blocks.
  func look(at files: [MediaFolder.Found]) -> MusicLook {
    look(isPartial: true) { gathering in
      for file in files { gathering.take(file.path, file.identity) }
    }
  }

  private func look(isPartial: Bool, _ gather: (MusicGathering) -> Void) -> MusicLook {
    var look = MusicLook(known)
    let gathering: MusicGathering
    do throws(MusicLook.Trouble) {
      let top = try RootPlace(root, takesFile: takesFile)
      gathering = MusicGathering(self, top, isPartial: isPartial)
      gather(gathering)
      gathering.sort()
      if gathering.hasEnded { throw .ended }
      try read(gathering, &look)
      guard top.isStillThere else { throw .replaced }
    } catch {
      look = MusicLook(known)
      look.trouble = error
      return look
    }
    look.folder = gathering.merged(look.folder)
    look.folder.problem = nil
    look.folder.isWhole = true
    look.device = gathering.top.device
    gathering.count(in: &look)
    return look
  }

  /// Reads what is new or has changed.
  private func read(
    _ gathering: MusicGathering, _ look: inout MusicLook
  ) throws(MusicLook.Trouble) {
    var folder = MusicFolder(root)
    var asked: [OpenMusic] = []
    for (index, file) in gathering.changed.enumerated() {
      guard goesOn(gathering.looked + index) else { throw .ended }
      switch audio(of: file, in: gathering.top) {
      case .failure(.isBeingWritten): gathering.wait(for: file.path)
      case .failure(.isGone): gathering.leave(file.path)
      case .failure(.reason(let text, let isLasting)):
        folder.refused.append(
          .init(path: file.path, identity: file.identity, reason: text, isTriedAgain: !isLasting))
        if !isLasting { gathering.keep(file.path) }
      case .success(let audio):
        answer(&asked, to: TagReader.inFlightMax - 1, &folder)
        tags?.ask(audio.file, number: UInt64(index))
        asked.append(audio)
      }
    }
    answer(&asked, to: 0, &folder)
    look.read = gathering.changed.count
    look.folder = folder
  }

  /// Whether a file or folder of a name is looked at.
  public static func isWanted(_ name: [UInt8], isFolder: Bool) -> Bool {
    if name.first == UInt8(ascii: ".") { return false }
    if isFolder { return true }
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return false }
    return endings.contains(name[(dot + 1)...].map { (65...90).contains($0) ? $0 | 0x20 : $0 })
      || CoverNames.has(name)
  }

  /// A file whose tags are being read.
  private struct OpenMusic {
    var found: MediaFolder.Found
    var file: MediaFile
    var summary: MediaSummary
    var format: AudioFormat
    var coding: MusicCoding
    var key: TrackKey
  }

  /// Why a file is not played.
  private enum Refusal: Error {
    /// It is not there any more, or no file.
    case isGone
    case isBeingWritten
    /// In words that follow its name. Lasting: it is the file's own; else a machine or a disk may do better another time.
    case reason(String, isLasting: Bool)
  }

  private func audio(
    of found: MediaFolder.Found, in top: RootPlace
  ) -> Result<OpenMusic, Refusal> {
    do {
      let file = try top.open(found.path)
      guard file.identity == found.identity else { return .failure(.isBeingWritten) }
      guard let layout = try file.layout(), let summary = try file.summary(layout) else {
        return .failure(.reason("has no audio of a known format", isLasting: true))
      }
      if let refusal = try TrackSound.refusal(of: file, layout, summary) {
        return .failure(.reason(refusal.description, isLasting: refusal.isOfFile))
      }
      guard let coding = MusicCoding(layout, summary), let codec = coding.codec(of: summary) else {
        return .failure(.reason("has no audio of a known format", isLasting: true))
      }
      let format = AudioFormat(
        codec: codec, sampleRate: summary.sampleRate, channels: summary.channels)
      let key = try file.key(layout)
      guard file.identityNow == file.identity else { return .failure(.isBeingWritten) }
      return .success(
        OpenMusic(
          found: found, file: file, summary: summary, format: format, coding: coding, key: key))
    } catch let code as RootPlace.Failure {
      if code.isOfAbsence { return .failure(.isGone) }
      return .failure(.reason("cannot be opened: \(code.words)", isLasting: false))
    } catch {
      return .failure(.reason("cannot be read: \(error)", isLasting: false))
    }
  }

  /// Takes answers until so many files are left whose tags are being read.
  private func answer(_ asked: inout [OpenMusic], to left: Int, _ folder: inout MusicFolder) {
    while asked.count > left {
      let audio = asked.removeFirst()
      let path = audio.found.path.isEmpty ? Array(root.utf8) : audio.found.path
      let last = path.split(separator: UInt8(ascii: "/")).last ?? []
      let name = String(decoding: last, as: UTF8.self)
      let reading = tags?.next()?.reading
      var fields = TagFields()
      if case .fields(let read)? = reading { fields = read }
      fields = fields.guessing(from: name)
      var file = MusicFile(
        root: root, path: audio.found.path, identity: audio.found.identity, key: audio.key,
        format: audio.format, seconds: audio.summary.duration.seconds,
        isExact: audio.summary.isExact, title: fields.first(.title) ?? name,
        artist: fields.first(.artist) ?? "", album: fields.first(.album) ?? "", year: fields.year,
        details: MusicDetails(fields, bitrate: audio.summary.bitrate), levels: fields.gain)
      file.coding = audio.coding
      if case .unavailable? = reading { file.isRead = false }
      texts.share(&file)
      folder.files.append(file)
    }
  }
}
